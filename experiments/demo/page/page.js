// One operator at a time: its input, its moving solution, its fields, and how sure it is.
"use strict";

const find = (id) => document.getElementById(id);
const state = {
  about: null, name: "", inputs: {}, drawn: {}, stage: null, few: true, seed: 0, shown: null, views: {}, controls: [], playing: 0,
  steady: () => !state.about.time,
  // What lies across and up in a heat map: time across; without time, or at one time, x.
  planeAxes(axes = state.about.axes) { return axes.length === 2 && !state.steady() ? [axes[1], axes[0]] : [axes[0], axes[1]]; },
  edited() { state.drawn = structuredClone(state.inputs); setSize(1); redraw(); ask({ inputs: state.inputs }); },
};
const CAPTIONS = { prediction: "Prediction", reference: "Reference", difference: "Prediction − reference" };
let waiting = null, busy = false;

// The newest question goes next; those it overtook are dropped.
async function ask(question) {
  waiting = [state.name, state.stage ? { ...question, stage: state.stage } : question];
  if (busy) return;
  busy = true;
  while (waiting) {
    const [name, now] = waiting; waiting = null;
    try {
      const answer = await answers.answer(name, now);
      if (name === state.name) { show(answer, "seed" in now); completed(answer); }
    } catch (error) { find("message").textContent = error instanceof TypeError ? `No answer (${error.message}): is the server running?` : error.message; }
  }
  busy = false;
}

// An answer whose reference takes longer brings it `later`.
async function completed(answer) {
  try {
    const whole = await answer.later;
    if (whole && state.shown === answer) show(whole, false);
  } catch (error) { if (state.shown === answer) find("message").textContent = `No reference: ${error.message}`; }
}

function show(answer, fresh) {
  if (fresh) { state.inputs = answer.inputs; state.drawn = structuredClone(answer.inputs); setSize(1); state.controls.forEach((one) => one.fresh()); }
  state.shown = answer;
  redraw(); paintSolution(); tell(answer);
}

function tell(answer) {
  const { estimate, error } = answer, unlike = estimate && estimate.unlike_training;
  find("verdict").className = unlike || error > 0.1 ? "warning" : "";
  const off = error == null ? "" : `This prediction is off by ${percent(error)}. `;
  find("sentence").textContent = unlike
    ? `⚠ Unlike anything it was trained on: do not trust this prediction. ${off}`
    : off || (estimate ? "There is nothing to compare this prediction with." : "");
  const bound = estimate && (unlike ? `By itself it expects an error of ${percent(estimate.error)} or more. `
    : `By itself, without the reference, it expected ${estimate.upper > estimate.error ? `${percent(estimate.error)}, and ` : ""}less than ${percent(estimate.upper)} for nine of ten inputs like its training's. `);
  const ms = (value) => `${readable(value, 2)} ms`;
  const times = `Predicted in ${ms(answer.predict_ms)}` + (answer.solve_ms ? `; the reference solver took ${ms(answer.solve_ms)}.` : ".");
  find("times").textContent = (bound || "") + times;
  find("message").textContent = answer.note;
  document.querySelectorAll("#stages small").forEach((small, i) => { small.textContent = answer.stages[i] == null ? "" : `off by ${percent(answer.stages[i])}`; });
}

function redraw() { if (state.inputs && state.about) state.controls.forEach((one) => one.paint()); }

// The plane of a field that a heat map shows: all of it, or of three axes the chosen moment.
const inPlane = (field) => (i, j) => state.about.axes.length === 3 ? field[i][j][moment()] : state.steady() ? field[i][j] : field[j][i];
// Of several fields, the one that is chosen.
const chosen = (fields) => fields && state.about.fields.length ? fields[+find("which").value] : fields;
const moment = () => +find("moment").value;
const movingAxis = () => state.about.shown[state.about.shown.length - 1];

function paintSolution() {
  const { views, about } = state;
  if (!state.shown) return;
  const shown = Object.fromEntries(["prediction", "reference", "difference"].map((name) => [name, chosen(state.shown[name])]));
  const both = flat(shown.prediction).concat(shown.reference ? flat(shown.reference) : []), [low, high] = extremes(both);
  const [first, second] = state.planeAxes(about.shown), now = movingAxis().coordinates[moment()];
  find("moment-value").textContent = readable(now);
  const panels = { prediction: [shown.prediction, low, high, about.colours.field], reference: [shown.reference, low, high, about.colours.field] };
  if (shown.difference) { const [a, b] = extremes(flat(shown.difference)), size = Math.max(-a, b) || 1; panels.difference = [shown.difference, -size, size, about.colours.signed]; }
  for (const name of about.axes.length > 1 ? Object.keys(CAPTIONS) : []) {
    views[name].figure.style.visibility = panels[name] && panels[name][0] ? "visible" : "hidden";
    if (!panels[name] || !panels[name][0]) continue;
    const [field, least, most, table] = panels[name];
    heatmap(views[name], first, second, inPlane(field), least, most, table);
    if (about.axes.length === 2 && about.time) mark(views[name], now);
  }
  if (about.axes.length < 3) paintCurve(shown, low, high);
}

function paintCurve(shown, low, high) {
  const { views, about } = state, axis = about.shown[0], view = views.moving, room = 0.06 * (high - low || 1);
  clean(view);
  frame(view, interval(axis), { name: "u", low: low - room, high: high + room });
  const along = (field) => { const values = about.axes.length > 1 ? field.map((row) => row[moment()]) : field; return axis.periodic ? [...values, values[0]] : values; };
  const xs = axis.periodic ? [...axis.coordinates, view.across.high] : axis.coordinates;
  if (shown.reference) line(view, xs, along(shown.reference), { colour: colour("reference"), width: 8 });
  line(view, xs, along(shown.prediction), { colour: colour("prediction"), width: 2.2 });
}

function setSize(value) { find("size").value = value; find("times-size").textContent = `× ${readable(+value)}`; }
const scaled = (value, factor) => Array.isArray(value) ? value.map((v) => scaled(v, factor)) : value * factor;
// Functions only: a coefficient has a slider of its own.
function resize(factor) {
  setSize(factor);
  for (const [name, value] of Object.entries(state.drawn)) if (Array.isArray(value)) state.inputs[name] = scaled(value, factor);
  redraw(); ask({ inputs: state.inputs });
}

function play(on) {
  cancelAnimationFrame(state.playing); state.playing = 0;
  find("play").setAttribute("aria-pressed", on); find("play").textContent = on ? "❚❚ pause" : "▶ play";
  if (!on) return;
  const last = +find("moment").max, started = performance.now() - (moment() === last ? 0 : moment() / last) * 4000;
  const next = (time) => {
    const part = (time - started) / 4000;
    find("moment").value = Math.round(Math.min(part, 1) * last); paintSolution();
    if (part < 1) state.playing = requestAnimationFrame(next); else play(false);
  };
  state.playing = requestAnimationFrame(next);
}

// Stages: the first network alone, then with one correction more each; all is the default.
function offerStages(count) {
  find("stages").replaceChildren(...(count > 1 ? [...Array(count).keys()] : []).map((k) => {
    const button = document.createElement("button");
    button.type = "button"; button.setAttribute("role", "radio"); button.setAttribute("aria-checked", k === count - 1);
    button.innerHTML = `<span>${k ? `+ correction ${k}` : "first network"}</span><small></small>`;
    button.onclick = () => {
      state.stage = k === count - 1 ? null : k + 1;
      [...find("stages").children].forEach((one, i) => one.setAttribute("aria-checked", i === k));
      ask({ inputs: state.inputs });
    };
    return button;
  }));
}

function lay(about) {
  find("title").textContent = document.title = about.title;
  find("equation").innerHTML = about.equation; find("conditions").innerHTML = about.conditions;
  find("law").innerHTML = about.learned ? `Learned: ${about.learned}. Inputs are ${about.law}.` : "";
  find("grid").textContent = about.grid;
  find("hint").textContent = about.inputs.some((item) => item.shape.length === 1)
    ? "Draw in the box, or use the arrow keys; what the grid cannot resolve is smoothed." : "Paint in the box with the brush.";
  for (const id of ["inputs", "sliders", "fields"]) find(id).replaceChildren();
  const functions = about.inputs.filter((item) => item.shape.length);
  state.few = functions.length === 1;
  state.controls = about.inputs.map((item) => [numberInput, lineInput, fieldInput][item.shape.length](item, find("inputs"), state));
  for (const [name, caption] of Object.entries(CAPTIONS)) {
    const view = state.views[name] = plotCanvas(find("fields"), { caption, height: 0.8, bar: true });
    if (about.axes.length === 2 && about.time) { view.canvas.classList.add("timed"); onDrag(view, () => play(false), (_, [x]) => { find("moment").value = Math.round(x * find("moment").max); paintSolution(); }); }
  }
  const planar = about.axes.length === 3;
  for (const id of ["moment", "play"]) find(id).closest(id === "play" ? "button" : "label").hidden = about.axes.length === 1;
  find("everywhere").hidden = about.axes.length === 1;
  state.views.moving = plotCanvas(find("moving"), { caption: "", height: 0.56, label: "the solution at the chosen moment, prediction over reference" });
  find("moving").hidden = planar; document.querySelector(".legend").hidden = planar;
  find("moving-title").textContent = planar ? "Solution over time, below" : about.axes.length === 1 ? "Solution" : about.time ? "Solution u(x, t), moving" : "Solution u along x";
  const axis = movingAxis();
  find("moment-name").textContent = axis.name;
  find("moment").max = axis.coordinates.length - 1; find("moment").value = Math.round((axis.coordinates.length - 1) * (about.time ? 0.25 : 0.5));
  find("which").parentElement.hidden = !about.fields.length;
  find("which").replaceChildren(...about.fields.map((name, i) => new Option(name, i)));
  offerStages(about.stages);
}

async function choose(name) {
  play(false);
  state.name = name; state.shown = null; state.stage = null; state.seed = 0;
  document.body.dataset.ready = "";
  document.querySelectorAll("nav a").forEach((link) => link.hash === `#${name}` ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current"));
  find("verdict").className = "waiting"; find("message").textContent = "";
  try {
    const about = await answers.about(name);
    if (name !== state.name) return;
    state.about = about; lay(about);
    await ask({ seed: state.seed });
    document.body.dataset.ready = name;
  } catch (error) { find("message").textContent = error.message; }
}

async function start() {
  const { problems } = await answers.problems();
  find("problems").innerHTML = problems.map(({ name, title }) => `<a href="#${name}"></a>`).join("");
  [...find("problems").children].forEach((link, i) => { link.textContent = problems[i].title; });
  const asked = () => problems.find(({ name }) => location.hash === `#${name}`) || problems[0];
  window.onhashchange = () => choose(asked().name);
  window.onresize = () => { redraw(); paintSolution(); };
  matchMedia("(prefers-color-scheme: dark)").onchange = window.onresize;
  find("again").onclick = () => ask({ seed: ++state.seed });
  find("size").oninput = (event) => resize(+event.target.value);
  find("moment").oninput = () => { play(false); paintSolution(); };
  find("which").onchange = paintSolution;
  find("play").onclick = () => play(!state.playing);
  choose(asked().name);
}
start();
