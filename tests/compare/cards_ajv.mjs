// How long Ajv takes for the cards of a file: node cards_ajv.mjs bundle.json cards.ndjson
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";
import formats from "ajv-formats";

const [bundle, cards] = process.argv.slice(2);
const schema = JSON.parse(readFileSync(bundle, "utf8"));
const texts = readFileSync(cards, "utf8").trim().split("\n").map((line) => JSON.stringify(JSON.parse(line).card));
const ajv = formats(new Ajv({ strict: false, allErrors: true }));
ajv.addSchema(schema, "a2a");
const validate = ajv.getSchema("a2a#/$defs/AgentCard");

function measure(name, judge) {
  const begin = process.hrtime.bigint();
  let rounds = 0;
  // One second to warm up the compiler, then four that count.
  let counted = null;
  while (process.hrtime.bigint() - begin < 5_000_000_000n) {
    texts.forEach(judge);
    rounds += 1;
    if (counted === null && process.hrtime.bigint() - begin > 1_000_000_000n) {
      counted = { at: process.hrtime.bigint(), rounds };
    }
  }
  const took = Number(process.hrtime.bigint() - counted.at) / 1000 / (rounds - counted.rounds) / texts.length;
  console.log(`${name}: ${took.toFixed(2)} µs a card`);
}

measure("JSON.parse", (text) => JSON.parse(text));
measure("JSON.parse and Ajv", (text) => {
  if (!validate(JSON.parse(text))) throw new Error(JSON.stringify(validate.errors));
});
