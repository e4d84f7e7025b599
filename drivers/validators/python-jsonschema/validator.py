"""jsonschema over the schema bundle: `gauntlet schema a2a > a2a.json`, then
`gauntlet card fuzz --persistent --layer schema -- python validator.py a2a.json`."""

import base64
import json
import sys

from jsonschema import Draft202012Validator

with open(sys.argv[1], encoding="utf-8") as bundle:
    definitions = json.load(bundle)["$defs"]
validator = Draft202012Validator({"$ref": "#/$defs/AgentCard", "$defs": definitions})


def judge(card):
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(card)]
def read(asked):
    if "card" in asked:
        return asked["card"]
    # As bytes, as they come from the network or from a file.
    return json.loads(asked["text"].encode() if "text" in asked else base64.b64decode(asked["base64"]))


for line in sys.stdin:
    asked = json.loads(line)
    try:
        errors = judge(read(asked))
    except ValueError as error:  # the document is not JSON
        errors = [str(error)]
    print(json.dumps({"id": asked["id"], "valid": not errors, "errors": errors}), flush=True)
