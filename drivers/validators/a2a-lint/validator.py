"""The card check of a2a-lint: `gauntlet card fuzz --persistent --version 0.3 -- python validator.py`."""

import base64
import json
import sys

from a2a_lint import validate_card


def judge(card):
    found = [finding for finding in validate_card(card) if finding["level"] == "error"]
    return [f"{finding['field']}: {finding['message']}" for finding in found]
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
