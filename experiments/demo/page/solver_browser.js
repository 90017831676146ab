// The reference in the browser. A solver is slow there, so it has a thread of its own.
import * as ort from "./runtime/ort.wasm.min.mjs";

Object.assign(ort.env.wasm, { wasmPaths: new URL("runtime/", import.meta.url).href, numThreads: 1 });
const opened = {};

const opening = (name) => opened[name] ??= (async () => {
  const response = await fetch(`${name}/solver.onnx`);
  if (!response.ok) throw new Error(`${name}/solver.onnx is missing (${response.status})`);
  return ort.InferenceSession.create(new Uint8Array(await response.arrayBuffer()));
})();

onmessage = async ({ data: { name, arrays, shapes } }) => {
  try {
    const session = await opening(name);
    const given = Object.fromEntries(Object.keys(arrays).map((key) => [key, new ort.Tensor("float32", arrays[key], shapes[key])]));
    postMessage({ u: (await session.run(given)).u.data });
  } catch (error) { postMessage({ error: error.message }); }
};
