"""Drives the client of a2a-sdk as its own sample does, for gauntlet (driver protocol 1). Nothing is added."""

import asyncio
import importlib.metadata
import json
import sys
import uuid

import grpc
import httpx
from a2a import client as sdk
from a2a.helpers import get_message_text, get_stream_response_text
from a2a.types import Message, Part, Role, SendMessageRequest, TaskState
from google.protobuf.json_format import ParseDict

BINDINGS = ["JSONRPC", "GRPC", "HTTP+JSON"]
HELLO = {
    "type": "hello",
    "protocol": 1,
    "name": "a2a-sdk (Python)",
    "version": importlib.metadata.version("a2a-sdk"),
    "speaks": {"bindings": BINDINGS, "versions": ["1.0", "0.3"]},
    "partKinds": ["text", "data", "file"],
    "supports": ["streaming", "needs", "multi-turn", "reset", "cross-origin", "bearer", "api-key"],
}
RESULTS = {"completed", "failed", "rejected", "canceled", "input-required", "auth-required"}


# What the SDK's AuthInterceptor knows how to send, and what the caller calls it.
KINDS = {"http_auth_security_scheme": "bearer", "oauth2_security_scheme": "oauth2", "api_key_security_scheme": "apiKey"}


class Credentials(sdk.CredentialService):
    # For the one peer a client talks to, under the names of its card as the SDK wants them.
    def __init__(self, card, given):
        kinds = {name: KINDS.get(scheme.WhichOneof("scheme")) for name, scheme in card.security_schemes.items()}
        held = {credential["scheme"]: credential.get("token") or credential.get("key") for credential in given}
        self.by_name = {name: held.get(kind) for name, kind in kinds.items()}

    async def get_credentials(self, security_scheme_name, context):
        return self.by_name.get(security_scheme_name)


class Driver:
    def __init__(self):
        self.clients = {}  # by session, then by what a client is made for: a client keeps its card and its interface
        self.calls = {}  # by delegation: its client, its context, and the ids to continue with

    async def client(self, work):
        peer = work["peers"][0]
        credentials = work.get("credentials", {}).get(peer["name"], [])
        settings = {
            "streaming": work["needs"]["streaming"] != "unused",
            "supported_protocol_bindings": work.get("allowedBindings", BINDINGS),
            "accepted_output_modes": work.get("acceptedOutputModes", []),
        }
        clients, key = self.clients.setdefault(work["session"], {}), json.dumps([peer, credentials, settings])
        if key not in clients:
            config = sdk.ClientConfig(grpc_channel_factory=grpc.aio.insecure_channel, **settings)
            async with httpx.AsyncClient(timeout=work["deadlineMs"] / 1000) as http:
                card = await sdk.A2ACardResolver(http, peer["baseUrl"]).get_agent_card()
            auth = sdk.AuthInterceptor(Credentials(card, credentials))
            clients[key] = await sdk.create_client(card, config, [auth])
        return clients[key]

    async def delegate(self, work):
        context = sdk.ClientCallContext(timeout=work["deadlineMs"] / 1000)
        self.calls[work["id"]] = (await self.client(work), context, {})
        return await self.send(work["id"], work["message"]["parts"])

    async def send(self, id, parts):
        client, context, ids = self.calls[id]
        content = {"parts": [ParseDict(part, Part()) for part in parts], "message_id": str(uuid.uuid4())}
        request = SendMessageRequest(message=Message(role=Role.ROLE_USER, **content, **ids))
        state, answer, remark = None, "", ""
        async for event in client.send_message(request, context=context):
            if event.HasField("message"):
                return {"status": "completed", "text": get_message_text(event.message)}
            if event.HasField("task") or event.HasField("artifact_update"):
                answer += get_stream_response_text(event, delimiter="")
            if event.HasField("task") or event.HasField("status_update"):
                update = event.task if event.HasField("task") else event.status_update
                ids.update(task_id=event.task.id or event.status_update.task_id, context_id=update.context_id)
                state = TaskState.Name(update.status.state).removeprefix("TASK_STATE_").lower().replace("_", "-")
                remark = get_message_text(update.status.message)
        # The SDK's iterator ends in the same way whatever the last state is: `returned` says that, and no more.
        status = state if state in RESULTS else "returned"
        return {"status": status, "text": answer or remark, "taskId": ids.get("task_id")}

    async def reset(self, session):
        for client in self.clients.pop(session, {}).values():
            await client.close()
        self.calls.clear()


async def report(id, call):
    try:
        outcome = await call
    except (sdk.A2AClientTimeoutError, asyncio.CancelledError) as error:
        outcome = {"status": "timed-out", "error": {"type": type(error).__name__, "message": str(error)}}
    except Exception as error:
        outcome = {"status": "raised", "error": {"type": type(error).__name__, "message": str(error)}}
    say({"type": "outcome", "id": id, **outcome})


def say(message):
    print(json.dumps(message), flush=True)


async def main():
    driver, running = Driver(), None
    say(HELLO)
    while line := await asyncio.to_thread(sys.stdin.readline):
        match json.loads(line):
            case {"type": "delegate", **work}:
                running = asyncio.create_task(report(work["id"], driver.delegate(work)))
            case {"type": "continue", "id": id, "parts": parts}:
                running = asyncio.create_task(report(id, driver.send(id, parts)))
            case {"type": "cancel"} if running:
                running.cancel()
            case {"type": "reset", "session": session}:
                await driver.reset(session)
                say({"type": "reset-done", "session": session})


asyncio.run(main())
