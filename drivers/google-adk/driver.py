"""Drives RemoteA2aAgent of google-adk by a Runner, for gauntlet (driver protocol 1). Nothing is added."""

import asyncio
import base64
import importlib.metadata
import json
import sys

import httpx
from a2a.client import ClientConfig, ClientFactory
from fastapi.openapi.models import HTTPBearer
from google.adk.a2a.converters import to_adk_event
from google.adk.agents.remote_a2a_agent import RemoteA2aAgent
from google.adk.auth.auth_credential import AuthCredential, AuthCredentialTypes, HttpAuth, HttpCredentials
from google.adk.runners import InMemoryRunner
from google.genai import types

BINDINGS = ["JSONRPC", "HTTP+JSON"]
HELLO = {
    "type": "hello",
    "protocol": 1,
    "name": "google-adk (Python)",
    "version": importlib.metadata.version("google-adk"),
    "speaks": {"bindings": BINDINGS, "versions": ["1.0", "0.3"]},
    "partKinds": ["text", "file"],
    "supports": ["streaming", "needs", "multi-turn", "reset", "bearer"],
}
# How the framework tells its application that a task waits: a call that takes long, which the user answers.
WAITING = {
    to_adk_event.MOCK_FUNCTION_CALL_FOR_REQUIRED_USER_INPUT: "input-required",
    to_adk_event.MOCK_FUNCTION_CALL_FOR_REQUIRED_USER_AUTH: "auth-required",
}
APP, USER = "gauntlet", "user"


class Driver:
    def __init__(self):
        self.runners = {}  # by session and by what an agent is made for: an agent keeps its card and its interface
        self.calls = {}  # by delegation: its runner and its session

    async def runner(self, work):
        peer = work["peers"][0]
        credentials = work.get("credentials", {}).get(peer["name"], [])
        token = next((c["token"] for c in credentials if c["scheme"] in ("bearer", "oauth2")), None)
        streaming, bindings = work["needs"]["streaming"] != "unused", work.get("allowedBindings", BINDINGS)
        key = json.dumps([work["session"], peer, token, streaming, bindings])
        if key not in self.runners:
            # A factory without a client of its own loses the version header on the way through the framework.
            config = ClientConfig(
                httpx_client=httpx.AsyncClient(timeout=work["deadlineMs"] / 1000),
                streaming=streaming,
                supported_protocol_bindings=bindings,
                accepted_output_modes=work.get("acceptedOutputModes", []),
            )
            bearer = token and {
                "auth_scheme": HTTPBearer(),
                "auth_credential": AuthCredential(
                    auth_type=AuthCredentialTypes.HTTP,
                    http=HttpAuth(scheme="bearer", credentials=HttpCredentials(token=token)),
                ),
            }
            agent = RemoteA2aAgent(
                name="remote",
                agent_card=peer["cardUrl"],
                a2a_client_factory=ClientFactory(config),
                **(bearer or {}),
            )
            runner = self.runners[key] = InMemoryRunner(agent, app_name=APP)
            await runner.session_service.create_session(app_name=APP, user_id=USER, session_id=work["session"])
        return self.runners[key]

    async def delegate(self, work):
        self.calls[work["id"]] = (await self.runner(work), work["session"])
        return await self.send(work["id"], work["message"]["parts"])

    async def send(self, id, parts):
        runner, session = self.calls[id]
        message = types.Content(role="user", parts=[genai_part(part) for part in parts])
        # The framework hides the states of tasks: `returned` says that there was no error, and no more.
        status, text, error = "returned", "", None
        async for event in runner.run_async(user_id=USER, session_id=session, new_message=message):
            error = event.error_message or error
            for part in event.content.parts or [] if event.content else []:
                if part.text and not part.thought:
                    text += part.text
                if part.function_call and part.function_call.name in WAITING:
                    status = WAITING[part.function_call.name]
        if error:
            return {"status": "raised", "text": text, "error": {"type": "error_message", "message": error}}
        return {"status": status, "text": text}

    async def reset(self, session):
        for runner in self.runners.values():
            await runner.close()
        self.runners.clear()
        self.calls.clear()


def genai_part(part):
    media = part.get("mediaType", "application/octet-stream")
    if "text" in part:
        return types.Part.from_text(text=part["text"])
    if "url" in part:
        return types.Part.from_uri(file_uri=part["url"], mime_type=media)
    return types.Part.from_bytes(data=base64.b64decode(part["raw"]), mime_type=media)


async def report(id, call):
    try:
        outcome = await call
    except asyncio.CancelledError:
        outcome = {"status": "timed-out"}
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
