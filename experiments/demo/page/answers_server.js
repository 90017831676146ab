// Where answers come from: the server of this page.
"use strict";

async function fetched(path, body) {
  const options = body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(path, options), content = await response.json();
  if (!response.ok) throw new Error(content.error);
  return content;
}

const answers = {
  problems: () => fetched("problems"),
  about: (name) => fetched(`about/${name}`),
  answer: (name, question) => fetched(`answer/${name}`, question),
};
