"""Connects a client to gauntlet: one JSON object a line in, one out. Replace `delegate` by a call of your client."""
import json, sys, urllib.request, uuid

STATUSES = {"completed", "failed", "rejected", "canceled", "input-required", "auth-required"}


def fetch(url, seconds, body=None):
    headers = {"Content-Type": "application/json", "A2A-Version": "1.0"}
    request = urllib.request.Request(url, body and json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=seconds) as answer:
        return json.load(answer)


def delegate(work):
    seconds = work["deadlineMs"] / 1000
    card = fetch(work["peers"][0]["cardUrl"], seconds)
    spoken = lambda one: one["protocolBinding"] == "JSONRPC" and one["protocolVersion"].startswith("1.")
    interface = next(filter(spoken, card["supportedInterfaces"]))
    params = {"message": {"messageId": str(uuid.uuid4()), "role": "ROLE_USER", "parts": work["message"]["parts"]}}
    params |= {"tenant": interface["tenant"]} if interface.get("tenant") else {}
    answer = fetch(interface["url"], seconds, {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params})
    if "error" in answer:
        return {"status": "failed", "text": answer["error"]["message"]}
    task = answer["result"].get("task", {"artifacts": [answer["result"].get("message")]})
    state = task.get("status", {}).get("state", "completed").removeprefix("TASK_STATE_").lower().replace("_", "-")
    text = "".join(part.get("text", "") for artifact in task.get("artifacts", []) for part in artifact["parts"])
    return {"status": state if state in STATUSES else "returned", "text": text}


for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "start":
        print(json.dumps({"type": "hello", "protocol": 1, "name": "my-client", "supports": []}), flush=True)
    elif said["type"] == "delegate":
        try:
            outcome = delegate(said)
        except Exception as error:
            outcome = {"status": "raised", "error": {"type": type(error).__name__, "message": str(error)}}
        print(json.dumps({"type": "outcome", "id": said["id"], **outcome}), flush=True)
