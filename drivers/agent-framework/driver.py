"""Drives A2AAgent of agent-framework as its samples do, for gauntlet (driver protocol 1). Nothing is added."""

import asyncio
import base64
import importlib.metadata
import json
import sys

import httpx
from a2a.client import A2ACardResolver, AuthInterceptor, CredentialService
from agent_framework import Content, Message
from agent_framework.a2a import A2AAgent

BINDINGS = ["JSONRPC", "HTTP+JSON"]
HELLO = {
    "type": "hello",
    "protocol": 1,
    "name": "agent-framework (Python)",
    "version": importlib.metadata.version("agent-framework-a2a"),
    "speaks": {"bindings": BINDINGS, "versions": ["1.0", "0.3"]},
    "partKinds": ["text", "file"],
    "supports": ["streaming", "needs", "multi-turn", "reset", "cross-origin", "bearer"],
}


# What the caller calls the schemes that take a bearer token.
KINDS = {"http_auth_security_scheme": "bearer", "oauth2_security_scheme": "oauth2"}


class BearerToken(CredentialService):
    # For the one peer an agent talks to, under the names of its card as the SDK's AuthInterceptor wants them.
    def __init__(self, card, given):
        kinds = {name: KINDS.get(scheme.WhichOneof("scheme")) for name, scheme in card.security_schemes.items()}
        held = {credential["scheme"]: credential.get("token") for credential in given}
        self.by_name = {name: held.get(kind) for name, kind in kinds.items()}

    async def get_credentials(self, security_scheme_name, context):
        return self.by_name.get(security_scheme_name)


class Driver:
    def __init__(self):
        self.agents = {}  # by session and by what an agent is made for: its agent, and the framework's session
        self.calls = {}  # by delegation: its agent, its session, and whether it streams

    async def agent(self, work):
        peer = work["peers"][0]
        credentials = work.get("credentials", {}).get(peer["name"], [])
        bindings = work.get("allowedBindings", BINDINGS)
        key = json.dumps([work["session"], peer, credentials, bindings])
        if key not in self.agents:
            seconds = work["deadlineMs"] / 1000
            async with httpx.AsyncClient(timeout=seconds) as client:
                card = await A2ACardResolver(httpx_client=client, base_url=peer["baseUrl"]).get_agent_card()
            auth = AuthInterceptor(BearerToken(card, credentials))
            agent = A2AAgent(
                agent_card=card, auth_interceptor=auth, timeout=seconds, supported_protocol_bindings=bindings
            )
            self.agents[key] = agent, agent.create_session()
        return self.agents[key]

    async def delegate(self, work):
        self.calls[work["id"]] = (*await self.agent(work), work["needs"]["streaming"] != "unused")
        return await self.send(work["id"], work["message"]["parts"])

    async def send(self, id, parts):
        agent, session, streaming = self.calls[id]
        message = Message(role="user", contents=[content(part) for part in parts])
        if streaming:
            response = await agent.run(message, session=session, stream=True).get_final_response()
        else:
            response = await agent.run(message, session=session)
        # The framework hides the states of tasks, but for a question: `returned` says that, and no more.
        status = "input-required" if response.user_input_requests else "returned"
        return {"status": status, "text": response.text}

    async def reset(self, session):
        for agent, _ in self.agents.values():
            await agent.__aexit__(None, None, None)
        self.agents.clear()
        self.calls.clear()


def content(part):
    media = part.get("mediaType", "application/octet-stream")
    if "text" in part:
        return Content.from_text(part["text"])
    if "url" in part:
        return Content.from_uri(part["url"], media_type=media)
    return Content.from_data(base64.b64decode(part["raw"]), media)


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
