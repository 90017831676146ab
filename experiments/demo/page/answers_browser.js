// Where answers come from: operators that run in this page, by onnxruntime-web. No server.
"use strict";

const LARGEST = 1e6; // beyond any physical value, and far from single precision's end
const OWN_INPUT = "No reference: this page has no solver, only the solutions of its own samples.";
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

async function predicted({ about, session, Tensor }, inputs) {
  const given = {};
  for (const { name, shape } of about.inputs) {
    const values = [inputs[name]].flat(Infinity);
    if (!values.every((value) => Math.abs(value) <= LARGEST)) throw new Error(`${name} is not allowed: expected finite numbers of at most ${LARGEST}`);
    given[name] = new Tensor("float32", Float32Array.from(values), shape);
  }
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

const answers = {
  problems: async () => (await fetched("problems.json")).json(),
  about: async (name) => (await opening(name)).about,
  async answer(name, question) {
    const operator = await opening(name), { about, fields } = operator;
    const sample = "seed" in question ? about.samples[question.seed % about.samples.length] : null;
    const inputs = structuredClone(sample ? sample.inputs : question.inputs);
    const { outputs, predict_ms } = await predicted(operator, inputs);
    const stage = question.stage && question.stage < fields.length ? question.stage : 0;
    const u = outputs[stage ? fields[stage - 1] : "u"].data, truth = sample && sample.reference;
    if (!u.every(Number.isFinite)) throw new Error("the prediction overflows: expected smaller inputs");
    const answer = {
      inputs, predict_ms, prediction: drawn(about, u), reference: null, stages: fields.map(() => null), note: truth ? "" : OWN_INPUT,
      estimate: stage ? null : estimated(about, outputs.error_size.data[0]),
    };
    if (!truth) return answer;
    const away = (values) => values.map((value, i) => value - truth[i]);
    const shares = fields.map((output) => norm(away(outputs[output].data)) / norm(truth));
    const stages = shares.map((share) => Number.isFinite(share) ? share : null); // of a truth that is zero there is none
    return { ...answer, stages, error: stages[stage ? stage - 1 : fields.length - 1], reference: drawn(about, truth), difference: drawn(about, away(u)) };
  },
};
