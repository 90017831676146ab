// Where answers come from: operators that run in this page, by onnxruntime-web. No server.
"use strict";

const LARGEST = 1e6; // beyond any physical value, and far from single precision's end
const REST = 250; // milliseconds without another question, before a reference is solved
const NOTES = {
  none: "No reference: this page has no solver for it, only the solutions of its own samples.",
  coming: "The reference is being solved, in this browser …",
  unstable: "No reference: the solver is unstable for this input.",
};
const opened = {};
const runtime = import("./runtime/ort.wasm.min.mjs").then((ort) => {
  // Several threads need headers that few hosts send.
  Object.assign(ort.env.wasm, { wasmPaths: new URL("runtime/", document.baseURI).href, numThreads: 1 });
  return ort;
});

async function fetched(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} is missing (${response.status})`);
  return response;
}

const opening = (name) => opened[name] ??= (async () => {
  const about = await (await fetched(`${name}/about.json`)).json();
  const program = await (await fetched(`${name}/operator.onnx`)).arrayBuffer();
  const ort = await runtime, session = await ort.InferenceSession.create(new Uint8Array(program));
  const operator = { about, session, Tensor: ort.Tensor, fields: session.outputNames.filter((output) => output !== "error_size") };
  await predicted(operator, about.samples[0].inputs); // the first answer takes longer than others
  return operator;
})();

function flatArrays(about, inputs) {
  return Object.fromEntries(about.inputs.map(({ name }) => {
    const values = [inputs[name]].flat(Infinity);
    if (!values.every((value) => Math.abs(value) <= LARGEST)) throw new Error(`${name} is not allowed: expected finite numbers of at most ${LARGEST}`);
    return [name, Float32Array.from(values)];
  }));
}

async function predicted({ about, session, Tensor }, inputs) {
  const arrays = flatArrays(about, inputs), given = {};
  for (const { name, shape } of about.inputs) given[name] = new Tensor("float32", arrays[name], shape);
  const start = performance.now(), outputs = await session.run(given);
  return { outputs, predict_ms: performance.now() - start };
}

// Fields are flat, the last axis of the grid running fastest and several fields faster still.
function alongAxis(values, shape, axis, matrix) {
  const inner = shape.slice(axis + 1).reduce((a, b) => a * b, 1), outer = values.length / (inner * shape[axis]);
  const made = new Float64Array(outer * matrix.length * inner);
  for (let o = 0; o < outer; o++) matrix.forEach((row, i) => row.forEach((weight, j) => {
    if (weight) for (let k = 0; k < inner; k++) made[(o * matrix.length + i) * inner + k] += weight * values[(o * shape[axis] + j) * inner + k];
  }));
  return made;
}

function nested(values, shape) {
  if (shape.length === 1) return Array.from(values);
  const size = values.length / shape[0];
  return Array.from({ length: shape[0] }, (_, i) => nested(values.slice(i * size, (i + 1) * size), shape.slice(1)));
}

// What is drawn: numbers between the nodes; of several fields, a list of that for each.
function drawn({ nodes, finer, fields }, values) {
  const finest = (field) => {
    const shape = [...nodes];
    finer.forEach((matrix, axis) => { if (matrix) { field = alongAxis(field, shape, axis, matrix); shape[axis] = matrix.length; } });
    return nested(field, shape);
  };
  return fields.length ? fields.map((_, k) => finest(values.filter((_, i) => i % fields.length === k))) : finest(values);
}

const norm = (values) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));

function estimated({ error_bar: bar }, size) {
  if (!bar || !Number.isFinite(size)) return null;
  const error = Math.hypot(bar.factor * size, bar.floor);
  return { error, upper: bar.factor_above * error, unlike_training: error > bar.far * bar.largest };
}

// The reference of inputs drawn by hand: solved when they rest, one at a time, the newest next.
// Those that were overtaken are never solved.
const solver = { worker: null, busy: false, waiting: null, rest: 0, last: { key: "", truth: null } };

function solved(name, about, inputs) {
  const key = JSON.stringify([name, inputs]);
  if (key === solver.last.key) return Promise.resolve(solver.last.truth);
  const shapes = Object.fromEntries(about.inputs.map((item) => [item.name, item.shape]));
  clearTimeout(solver.rest);
  return new Promise((resolve, reject) => {
    solver.waiting = { key, question: { name, arrays: flatArrays(about, inputs), shapes }, resolve, reject };
    solver.rest = setTimeout(solveNext, REST);
  });
}

function solveNext() {
  if (solver.busy || !solver.waiting) return;
  const { key, question, resolve, reject } = solver.waiting;
  Object.assign(solver, { waiting: null, busy: true });
  solver.worker ??= new Worker("solver.js", { type: "module" });
  solver.worker.onmessage = ({ data: { u, error } }) => {
    solver.busy = false; solveNext();
    if (error) { reject(new Error(error)); return; }
    solver.last = { key, truth: u }; resolve(u);
  };
  solver.worker.postMessage(question);
}

function compared(about, answer, every, u, truth) {
  if (!truth.every(Number.isFinite)) return { ...answer, note: NOTES.unstable };
  const away = (values) => values.map((value, i) => value - truth[i]);
  const shares = every.map((values) => norm(away(values)) / norm(truth));
  const stages = shares.map((share) => Number.isFinite(share) ? share : null); // of a truth that is zero there is none
  return { ...answer, note: "", stages, error: stages[every.indexOf(u)], reference: drawn(about, truth), difference: drawn(about, away(u)) };
}

const answers = {
  problems: async () => (await fetched("problems.json")).json(),
  about: async (name) => (await opening(name)).about,
  async answer(name, question) {
    const operator = await opening(name), { about, fields } = operator;
    const sample = "seed" in question ? about.samples[question.seed % about.samples.length] : null;
    const inputs = structuredClone(sample ? sample.inputs : question.inputs);
    const { outputs, predict_ms } = await predicted(operator, inputs), every = fields.map((output) => outputs[output].data);
    const stage = question.stage && question.stage < fields.length ? question.stage : 0, u = every[stage ? stage - 1 : every.length - 1];
    if (!u.every(Number.isFinite)) throw new Error("the prediction overflows: expected smaller inputs");
    const answer = {
      inputs, predict_ms, prediction: drawn(about, u), reference: null, stages: every.map(() => null), note: NOTES.none,
      estimate: stage ? null : estimated(about, outputs.error_size.data[0]),
    };
    if (sample && sample.reference) return compared(about, answer, every, u, sample.reference);
    if (!about.solver) return answer;
    const later = solved(name, about, inputs).then((truth) => compared(about, answer, every, u, truth));
    return { ...answer, note: NOTES.coming, later };
  },
};
