"""The card check of a2aops: `gauntlet card fuzz --persistent --layer spec -- python validator.py`."""

import base64
import json
import sys

from a2aops.card import ERROR, validate_card


def judge(card):
    return [str(found) for found in validate_card(card) if found.severity == ERROR]
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
