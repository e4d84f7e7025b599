"""What the client of the official Python SDK can read:
`gauntlet card fuzz --persistent --for consume --layer schema -- python validator.py`."""

import base64
import json
import sys

from a2a.client.card_resolver import parse_agent_card
from google.protobuf.json_format import ParseError


def judge(card):
    try:
        parse_agent_card(card)
    except ParseError as error:
        return [str(error)]
    return []
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
