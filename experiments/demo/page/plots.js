// Axes with ticks, curves, heat maps and colour bars, in the colours of the page.
"use strict";

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const MARGIN = { left: 52, right: 12, top: 8, bottom: 34 }, BAR = 62;

// Not Math.max(...values): a call takes only so many arguments.
const extremes = (values) => values.reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [Infinity, -Infinity]);
const flat = (field) => field.flat(Infinity);

// A number as a person reads it: few digits, no powers of ten.
function readable(value, digits = 3) {
  if (value === 0) return "0";
  const short = Number(value.toPrecision(digits)), size = Math.floor(Math.log10(Math.abs(short)));
  return size < -5 || size > 5 ? `${Number((short / 10 ** size).toPrecision(digits))}·${power(size)}` : short.toString();
}
const power = (exponent) => "10" + String(exponent).replace(/[-0-9]/g, (mark) => mark === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[mark]);
const percent = (share) => `${readable(100 * share, 2)} %`;

// Round numbers that divide an interval into about `count` parts.
function ticks(low, high, count = 5) {
  const rough = (high - low) / count || 1, unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 2.5, 5, 10].find((part) => part * unit >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-3 * step; k++) found.push(Number((k * step).toPrecision(10)));
  return found;
}

// A canvas of fixed proportions that is sharp on every screen; its plot area in CSS pixels.
function plotCanvas(parent, { caption = "", height = 0.62, bar = false, label = "" } = {}) {
  const figure = parent.tagName === "FIGURE" ? parent : parent.appendChild(document.createElement("figure"));
  figure.innerHTML = "<figcaption></figcaption><canvas></canvas>";
  const [title, canvas] = figure.children;
  title.innerHTML = caption;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", label || title.textContent);
  const view = { figure, canvas, height, bar, pen: canvas.getContext("2d") };
  canvas.view = view;
  return view;
}

// Sets the size anew where it changed, wipes the canvas and returns the box of the plot.
function clean(view) {
  const wide = Math.max(view.canvas.clientWidth, 200), tall = Math.round(wide * view.height), scale = window.devicePixelRatio || 1;
  if (view.canvas.width !== Math.round(wide * scale)) {
    view.canvas.width = Math.round(wide * scale); view.canvas.height = Math.round(tall * scale);
    view.canvas.style.aspectRatio = `${wide} / ${tall}`;
  }
  view.pen.setTransform(scale, 0, 0, scale, 0, 0);
  view.pen.clearRect(0, 0, wide, tall);
  const right = MARGIN.right + (view.bar ? BAR : 0);
  view.box = { x: MARGIN.left, y: MARGIN.top, w: wide - MARGIN.left - right, h: tall - MARGIN.top - MARGIN.bottom };
  return view.box;
}

function frame(view, across, up) {
  const { pen, box } = view;
  view.across = across; view.up = up;
  pen.font = "12px system-ui, sans-serif"; pen.fillStyle = colour("faint"); pen.strokeStyle = colour("line"); pen.lineWidth = 1;
  pen.strokeRect(box.x + 0.5, box.y + 0.5, box.w, box.h);
  pen.textAlign = "center"; pen.textBaseline = "top";
  for (const value of ticks(across.low, across.high)) {
    const x = placeX(view, value);
    pen.beginPath(); pen.moveTo(x, box.y + box.h); pen.lineTo(x, box.y + box.h + 4); pen.stroke();
    pen.fillText(readable(value), x, box.y + box.h + 6);
  }
  pen.fillText(across.name, box.x + box.w / 2, box.y + box.h + 20);
  pen.textAlign = "right"; pen.textBaseline = "middle";
  for (const value of ticks(up.low, up.high, 6)) {
    const y = placeY(view, value);
    pen.beginPath(); pen.moveTo(box.x - 4, y); pen.lineTo(box.x, y); pen.stroke();
    pen.fillText(readable(value), box.x - 7, y);
  }
  pen.save(); pen.translate(11, box.y + box.h / 2); pen.rotate(-Math.PI / 2); pen.textAlign = "center";
  pen.fillText(up.name, 0, 0); pen.restore();
}

const placeX = ({ box, across }, value) => box.x + (value - across.low) / (across.high - across.low || 1) * box.w;
const placeY = ({ box, up }, value) => box.y + (up.high - value) / (up.high - up.low || 1) * box.h;

function line(view, xs, values, style) {
  const { pen, box } = view;
  pen.save(); pen.beginPath(); pen.rect(box.x, box.y, box.w, box.h); pen.clip(); pen.beginPath();
  values.forEach((value, i) => pen.lineTo(placeX(view, xs[i]), placeY(view, value)));
  pen.strokeStyle = style.colour; pen.lineWidth = style.width; pen.lineJoin = "round"; pen.stroke();
  pen.restore();
}

// `at(i, j)` is the value at the i-th place across and the j-th up.
function heatmap(view, across, up, at, low, high, table) {
  const box = clean(view), [wide, tall] = [across.coordinates.length, up.coordinates.length];
  const image = new ImageData(wide, tall), span = high - low || 1;
  for (let j = 0; j < tall; j++)
    for (let i = 0; i < wide; i++) {
      const part = (at(i, j) - low) / span, index = Math.max(0, Math.min(table.length - 1, Math.round(part * (table.length - 1))));
      image.data.set([...table[index], 255], 4 * ((tall - 1 - j) * wide + i));
    }
  const small = new OffscreenCanvas(wide, tall);
  small.getContext("2d").putImageData(image, 0, 0);
  view.pen.imageSmoothingEnabled = !view.sharp;
  view.pen.drawImage(small, box.x, box.y, box.w, box.h);
  frame(view, interval(across), interval(up));
  colourBar(view, low, high, table);
}

function colourBar(view, low, high, table) {
  const { pen, box } = view, x = box.x + box.w + 10;
  table.forEach(([r, g, b], i) => {
    pen.fillStyle = `rgb(${r} ${g} ${b})`;
    pen.fillRect(x, box.y + box.h * (1 - (i + 1) / table.length), 12, box.h / table.length + 1);
  });
  pen.strokeStyle = colour("line"); pen.strokeRect(x + 0.5, box.y + 0.5, 12, box.h);
  pen.fillStyle = colour("faint"); pen.textAlign = "left"; pen.textBaseline = "middle";
  // Tiny and huge numbers share their power of ten, which stands under the bar.
  const exponent = Math.floor(Math.log10(Math.max(-low, high, 1e-300))), unit = Math.abs(exponent) > 2 ? 10 ** exponent : 1;
  for (const value of ticks(low, high, 6))
    pen.fillText(readable(value / unit), x + 17, box.y + (high - value) / (high - low || 1) * box.h);
  if (unit !== 1) pen.fillText(`× ${power(exponent)}`, x - 4, box.y + box.h + 26);
}

// A periodic axis ends where it began, one step behind its last node.
function interval(axis) {
  const nodes = axis.coordinates, last = nodes[nodes.length - 1];
  return { name: axis.name, low: nodes[0], high: axis.periodic ? last + nodes[1] - nodes[0] : last };
}

function mark(view, value) {
  const { pen, box } = view, x = placeX(view, value);
  pen.save(); pen.strokeStyle = "#fff"; pen.lineWidth = 3; pen.beginPath(); pen.moveTo(x, box.y); pen.lineTo(x, box.y + box.h); pen.stroke();
  pen.strokeStyle = "#000"; pen.lineWidth = 1; pen.stroke(); pen.restore();
}
