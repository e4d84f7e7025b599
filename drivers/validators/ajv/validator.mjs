// Ajv over the schema bundle: `gauntlet schema a2a > a2a.json`, then
// `gauntlet card fuzz --persistent --layer schema -- node validator.mjs a2a.json`.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

import Ajv from "ajv/dist/2020.js";
import formats from "ajv-formats";

const ajv = new Ajv({ strict: false });
formats(ajv);
ajv.addSchema(JSON.parse(readFileSync(process.argv[2], "utf8")), "a2a");
const validate = ajv.getSchema("a2a#/$defs/AgentCard");

function judge({ card, text, base64 }) {
  if (card === undefined) {
    try {
      card = JSON.parse(text ?? Buffer.from(base64, "base64").toString());
    } catch (error) {
      return { valid: false, errors: [error.message] };
    }
  }
  const valid = validate(card);
  const errors = (validate.errors ?? []).map((error) => `${error.instancePath}: ${error.message}`);
  return { valid, errors };
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  console.log(JSON.stringify({ id: asked.id, ...judge(asked) }));
}
