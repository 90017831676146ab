// Inputs that a person draws: a curve, a painted field, a number. By mouse, touch and keys.
"use strict";

const clip = (x, low, high) => Math.max(low, Math.min(high, x));

// Where a pointer is, as parts of the plot's box, the second from below.
function place(event, view) {
  const outer = view.canvas.getBoundingClientRect(), { box } = view;
  return [clip((event.clientX - outer.left - box.x) / box.w, 0, 1), clip(1 - (event.clientY - outer.top - box.y) / box.h, 0, 1)];
}

function onDrag(view, begin, act) {
  let last = null;
  view.canvas.onpointerdown = (e) => { view.canvas.setPointerCapture(e.pointerId); begin(); last = place(e, view); act(last, last); };
  view.canvas.onpointermove = (e) => { if (last) { const here = place(e, view); act(last, here); last = here; } };
  view.canvas.onpointerup = view.canvas.onpointercancel = () => { last = null; };
}

// Waves that the grid cannot resolve are taken out around what was touched: four times the
// mean of neighbours. A periodic function has neighbours beyond its ends.
function smoothed(values, first, last, round, closed) {
  const count = closed ? values.length - 1 : values.length, reach = 5;
  const index = (i) => round || closed ? (i % count + count) % count : clip(i, 0, count - 1);
  let now = values.slice(0, count);
  for (let pass = 0; pass < 4; pass++) {
    const before = now.slice();
    for (let i = first - reach; i <= last + reach; i++)
      if (round || closed || (i >= 0 && i < count)) now[index(i)] = (before[index(i - 1)] + 2 * before[index(i)] + before[index(i + 1)]) / 4;
  }
  return closed ? [...now, now[0]] : now;
}

function lineInput(item, parent, state) {
  const view = plotCanvas(parent, { caption: `<span>${item.symbol}</span>`, height: state.few ? 0.56 : 0.7 }), axis = state.about.axes[item.axis];
  const count = item.shape[0], round = axis.periodic;
  let rough = null, touched = [0, 0], node = 0, bounds = null;
  view.canvas.className = "drawn"; view.canvas.tabIndex = 0; view.canvas.setAttribute("role", "slider");
  view.canvas.setAttribute("aria-label", `${item.name}: left and right choose a place, up and down change the value there`);
  // Wide enough for what is drawn; it grows, and never jumps back while one draws.
  const widen = () => {
    const [low, high] = extremes(state.inputs[item.name]), room = 0.5 * (item.high - item.low) || 1;
    const [a, b] = bounds || [item.low - room, item.high + room];
    bounds = [Math.min(a, low - 0.05 * room), Math.max(b, high + 0.05 * room)];
  };
  const begin = () => { rough = [...state.inputs[item.name]]; touched = [Infinity, -Infinity]; };
  const apply = (from, to) => {
    touched = [Math.min(touched[0], from, to), Math.max(touched[1], from, to)];
    state.inputs[item.name] = smoothed(rough, ...touched, round, item.closed);
    state.edited();
  };
  const nodeAt = (part) => Math.min(Math.round(part * (round ? count : count - 1)), count - 1);
  onDrag(view, begin, ([x0, y0], [x1, y1]) => {
    const [low, high] = bounds, from = nodeAt(x0), to = nodeAt(x1);
    for (let i = Math.min(from, to); i <= Math.max(from, to); i++) {
      const part = from === to ? 1 : (i - from) / (to - from);
      rough[i] = low + (high - low) * (y0 + part * (y1 - y0));
    }
    apply(from, to);
  });
  view.canvas.onkeydown = (event) => {
    const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key], by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!along && !by) return;
    event.preventDefault();
    if (along) { node = clip(node + along, 0, count - 1); paint(); return; }
    begin();
    // A bump that the grid resolves, and that needs no smoothing.
    for (let d = -3; d <= 3; d++) {
      const i = round ? (node + d + count) % count : node + d;
      if (i >= 0 && i < count) rough[i] += by * 0.04 * (bounds[1] - bounds[0]) * Math.exp(-d * d / 4);
    }
    if (item.closed && (node === 0 || node === count - 1)) rough[0] = rough[count - 1] = rough[node];
    state.inputs[item.name] = rough;
    state.edited();
  };
  view.canvas.onfocus = view.canvas.onblur = () => paint();
  const paint = () => {
    widen(); clean(view);
    frame(view, interval(axis), { name: item.name, low: bounds[0], high: bounds[1] });
    const values = state.inputs[item.name], xs = axis.coordinates;
    const ends = round ? [[...xs, view.across.high], [...values, values[0]]] : [xs, values];
    line(view, view.across ? [view.across.low, view.across.high] : [], [0, 0], { colour: colour("line"), width: 1 });
    line(view, ...ends, { colour: colour("prediction"), width: 2.5 });
    if (document.activeElement === view.canvas) {
      view.pen.fillStyle = colour("accent"); view.pen.beginPath();
      view.pen.arc(placeX(view, xs[node]), placeY(view, values[node]), 6, 0, 7); view.pen.fill();
      view.canvas.setAttribute("aria-valuetext", `${axis.name} ${readable(xs[node])}: ${readable(values[node])}`);
    }
  };
  return { paint, fresh: () => { bounds = null; } };
}

function fieldInput(item, parent, state) {
  const view = plotCanvas(parent, { caption: `<span>${item.symbol}</span>, painted with the brush`, height: 0.8, bar: true });
  view.canvas.className = "drawn"; view.sharp = item.phases.length > 0;
  const label = document.createElement("label"), brush = document.createElement(item.phases.length ? "select" : "input");
  if (item.phases.length) brush.innerHTML = item.phases.map((v) => `<option value="${v}">${readable(v)}</option>`).join("");
  else Object.assign(brush, { type: "range", min: item.low, max: item.high, step: "any" });
  brush.value = item.phases.length ? item.phases[item.phases.length - 1] : item.high;
  label.append("brush ", brush); view.figure.append(label);
  const [first, second] = state.planeAxes();
  const get = (field, i, j) => state.steady() ? field[i][j] : field[j][i];
  onDrag(view, () => {}, (from, to) => {
    const field = state.inputs[item.name], wide = first.coordinates.length, tall = second.coordinates.length, radius = 0.06;
    for (let i = 0; i < wide; i++) for (let j = 0; j < tall; j++) {
      const away = distance([i / (wide - 1), j / (tall - 1)], from, to) / radius;
      if (away > (item.phases.length ? 1 : 3)) continue;
      const weight = item.phases.length ? 1 : Math.exp(-away * away), old = get(field, i, j);
      if (state.steady()) field[i][j] = old + weight * (brush.value - old); else field[j][i] = old + weight * (brush.value - old);
    }
    state.edited();
  });
  const paint = () => {
    const field = state.inputs[item.name], [low, high] = extremes([item.low, item.high, ...extremes(flat(field))]), signed = item.low < 0;
    const size = Math.max(-low, high), limits = signed ? [-size, size] : [low, high];
    heatmap(view, first, second, (i, j) => get(field, i, j), ...limits, state.about.colours[signed ? "signed" : "field"]);
  };
  return { paint, fresh: () => {} };
}

// To the stroke between two events: a quick mouse leaves them far apart.
function distance([x, y], [x0, y0], [x1, y1]) {
  const dx = x1 - x0, dy = y1 - y0, along = clip(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1), 0, 1);
  return Math.hypot(x - x0 - along * dx, y - y0 - along * dy);
}

function numberInput(item, parent, state) {
  const slider = document.createElement("input"), label = document.createElement("label"), text = document.createElement("output"), name = document.createElement("span");
  Object.assign(slider, { type: "range", min: item.low, max: item.high, step: "any" });
  name.innerHTML = item.symbol; label.append(name, slider, text);
  document.getElementById("sliders").append(label);
  slider.oninput = () => { state.inputs[item.name] = +slider.value; state.edited(); };
  return { paint: () => { slider.value = state.inputs[item.name]; text.textContent = readable(+state.inputs[item.name]); }, fresh: () => {} };
}
