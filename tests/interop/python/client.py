"""Does everything that the client of a2a-sdk offers with one peer of gauntlet, and checks what comes back.

    client.py BASE_URL BINDING streams|unary

The peer is that of ../fleet.yaml, with or without streaming. Prints one JSON line for each check; ends with 1 if any failed.
"""

import asyncio
import json
import sys
import uuid
from contextlib import asynccontextmanager

import grpc
import httpx
from a2a import client as sdk
from a2a.helpers import get_message_text
from a2a.types import (
    AuthenticationInfo,
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    StreamResponse,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.errors import (
    InvalidParamsError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
    VersionNotSupportedError,
)
from google.protobuf.json_format import MessageToDict, Parse

URL, BINDING, STREAMS = sys.argv[1], sys.argv[2], sys.argv[3] == "streams"
PATIENCE = 20  # seconds for one check
CHECKS = {}


def check(operation):
    def register(function):
        CHECKS[operation] = function
        return function

    return register


def same(what, found, expected):
    if found != expected:
        raise AssertionError(f"{what}: {found!r} instead of {expected!r}")


async def refused(error, call, words=""):
    """That a call, or the stream it gives, ends in this error of the SDK, and that it says these words."""
    try:
        if hasattr(call, "__aiter__"):
            result = [event async for event in call]
        else:
            result = await call
    except error as thrown:
        return same("the error says", (words in str(thrown), str(thrown)), (True, str(thrown)))
    raise AssertionError(f"{result!r} instead of {error.__name__}")


class Token(sdk.CredentialService):
    async def get_credentials(self, security_scheme_name, context):
        return "let-me-in"


LOGIN = [sdk.AuthInterceptor(Token())]


async def connect(agent=URL, login=LOGIN, channel=grpc.aio.insecure_channel, **settings):
    config = sdk.ClientConfig(supported_protocol_bindings=[BINDING], grpc_channel_factory=channel, **settings)
    return await sdk.create_client(agent, config, login)


async def insist():
    """A client that takes the peer for one that streams."""
    async with httpx.AsyncClient() as http:
        card = await sdk.A2ACardResolver(http, URL).get_agent_card()
    card.capabilities.streaming = True
    return await connect(card)


def order(text, ids=None, **configuration):
    message = Message(message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)], **(ids or {}))
    return SendMessageRequest(message=message, configuration=SendMessageConfiguration(**configuration))


async def events(call):
    return [event async for event in call]


async def work(client, text, ids=None):
    """Sends as the client does by itself, then fetches the task: what streams said must agree with it."""
    last = (await events(client.send_message(order(text, ids))))[-1]
    id = last.status_update.task_id if last.HasField("status_update") else last.task.id
    task = await client.get_task(GetTaskRequest(id=id))
    told = last.status_update.status if last.HasField("status_update") else last.task.status
    same("the state told and the state held", state(told), state(task.status))
    return task


async def begin(client, text="wait", **configuration):
    """Begins a task without waiting for it."""
    polling = await connect(polling=True, streaming=False)
    [event] = await events(polling.send_message(order(text, return_immediately=True, **configuration)))
    await polling.close()
    return event.task


def state(status):
    return TaskState.Name(status.state).removeprefix("TASK_STATE_")


def texts(artifact):
    return "".join(part.text for part in artifact.parts)


def ids(task):
    return {"task_id": task.id, "context_id": task.context_id}


@check("card")
async def card(client):
    async with httpx.AsyncClient() as http:
        found = await sdk.A2ACardResolver(http, URL).get_agent_card()
    same("name", found.name, "Foreign")
    same("bindings", [entry.protocol_binding for entry in found.supported_interfaces], ["JSONRPC", "HTTP+JSON", "GRPC"])
    same("tenants", {entry.tenant for entry in found.supported_interfaces}, {"acme"})
    same("skill", (found.skills[0].id, list(found.skills[0].tags)), ("returns", ["returns", "goods"]))
    same("streaming", found.capabilities.streaming, STREAMS)
    same("push", found.capabilities.push_notifications, True)


@check("send")
async def send(client):
    said = await events(client.send_message(order("classify 4411")))
    kinds = [event.WhichOneof("payload") for event in said]
    if STREAMS:
        same("events", kinds, ["task", "status_update", *["artifact_update"] * 3, "status_update"])
        updates = [event.artifact_update for event in said[2:5]]
        same("append", [update.append for update in updates], [False, True, True])
        same("last chunk", [update.last_chunk for update in updates], [False, False, True])
        same("chunks", "".join(texts(update.artifact) for update in updates), "damaged on arrival")
        same("one artifact", len({update.artifact.artifact_id for update in updates}), 1)
        same("working", get_message_text(said[1].status_update.status.message), "looking")
        same("one task", {event.status_update.task_id for event in (said[1], said[5])}, {said[0].task.id})
        final, task = said[5].status_update.status, await client.get_task(GetTaskRequest(id=said[0].task.id))
    else:
        same("events", kinds, ["task"])
        final, task = said[0].task.status, said[0].task
    same("state", (state(final), get_message_text(final.message)), ("COMPLETED", "classified"))
    same("artifacts", [(found.name, texts(found)) for found in task.artifacts], [("label", "damaged on arrival")])
    told = [(message.role, get_message_text(message)) for message in task.history]
    same("history", told, [(Role.ROLE_USER, "classify 4411"), (Role.ROLE_AGENT, "looking")])
    same("ids of the history", {(m.task_id, m.context_id) for m in task.history}, {(task.id, task.context_id)})


@check("send: the other way")
async def other_way(client):
    if STREAMS:
        other = await connect(streaming=False)
        [event] = await events(other.send_message(order("classify 4411")))
        same("task", event.task, await other.get_task(GetTaskRequest(id=event.task.id)))
        same("state", state(event.task.status), "COMPLETED")
    else:
        other = await insist()
        await refused(UnsupportedOperationError, other.send_message(order("classify 4411")))
    await other.close()


@check("send: message reply")
async def reply(client):
    [event] = await events(client.send_message(order("hello")))
    same("reply", (event.message.role, get_message_text(event.message)), (Role.ROLE_AGENT, "hello yourself"))


@check("send: data and files")
async def files(client):
    scores, photo, manual = (await work(client, "measure it")).artifacts
    data = {"damaged": 0.75, "tags": ["dented", "wet"], "unknown": None}
    same("data", MessageToDict(scores.parts[0].data), data)
    found = photo.parts[0]
    same("raw", (found.raw, found.filename, found.media_type), (b"not a photo", "photo.txt", "text/plain"))
    found = manual.parts[0]
    expected = ("http://127.0.0.1/manual.pdf", "manual.pdf", "application/pdf")
    same("url", (found.url, found.filename, found.media_type), expected)


@check("send: states")
async def states(client):
    expected = {
        "break it": ("FAILED", "it broke"),
        "refuse it": ("REJECTED", "not my work"),
        "sign in": ("AUTH_REQUIRED", "sign in first"),
    }
    for text, end in expected.items():
        status = (await work(client, text)).status
        same(text, (state(status), get_message_text(status.message)), end)


@check("send: two turns")
async def turns(client):
    task = await work(client, "ask me")
    question = (state(task.status), get_message_text(task.status.message))
    same("question", question, ("INPUT_REQUIRED", "which order?"))
    again = await work(client, "order 4411", ids(task))
    same("ids", ids(again), ids(task))
    same("answer", (state(again.status), [texts(found) for found in again.artifacts]), ("COMPLETED", ["order found"]))
    told = [get_message_text(message) for message in again.history]
    same("history", told, ["ask me", "which order?", "order 4411"])


@check("send: return immediately")
async def immediately(client):
    task = await begin(client)
    same("still open", state(task.status) in {"SUBMITTED", "WORKING"}, True)


@check("send: history length")
async def history(client):
    none = await begin(client, history_length=0)
    same("history", list(none.history), [])


@check("send: terminal task")
async def terminal(client):
    task = await work(client, "classify 4411")
    await refused(UnsupportedOperationError, client.send_message(order("and now?", ids(task))))


@check("send: unknown task")
async def unknown(client):
    await refused(TaskNotFoundError, client.send_message(order("go on", {"task_id": "nobody"})))


@check("get")
async def get(client):
    task = await work(client, "classify 4411")
    for length, expected in ((0, []), (1, ["looking"]), (9, ["classify 4411", "looking"])):
        found = await client.get_task(GetTaskRequest(id=task.id, history_length=length))
        same(f"history of {length}", [get_message_text(message) for message in found.history], expected)
        found.history.clear()
        found.history.extend(task.history)
        same("task", found, task)


@check("get: unknown task")
async def get_unknown(client):
    await refused(TaskNotFoundError, client.get_task(GetTaskRequest(id="nobody")))


class WrongVersion(grpc.aio.UnaryUnaryClientInterceptor):
    async def intercept_unary_unary(self, continuation, details, request):
        kept = [(key, value) for key, value in details.metadata or () if key != "a2a-version"]
        metadata = grpc.aio.Metadata(*kept, ("a2a-version", "9.1"))
        return await continuation(details._replace(metadata=metadata), request)


@check("get: wrong version")
async def version(client):
    # The SDK always sends its own version; over gRPC beside another one that it is given.
    task = await begin(client)
    stranger = await connect(channel=lambda url: grpc.aio.insecure_channel(url, interceptors=[WrongVersion()]))
    parameters = {} if BINDING == "GRPC" else {"A2A-Version": "9.1"}
    context = sdk.ClientCallContext(service_parameters=parameters)
    await refused(VersionNotSupportedError, stranger.get_task(GetTaskRequest(id=task.id), context=context))
    await stranger.close()


@check("list")
async def list_tasks(client):
    first = await work(client, "classify 1")
    context = {"context_id": first.context_id}
    rest = [await work(client, f"classify {number}", context) for number in (2, 3)]
    newest_first = [task.id for task in (*reversed(rest), first)]
    found, token = [], ""
    while len(found) <= 3:
        page = await client.list_tasks(ListTasksRequest(**context, page_size=2, page_token=token))
        same("sizes", (page.page_size, page.total_size), (2, 3))
        found += [task.id for task in page.tasks]
        same("no artifacts unless asked for", any(task.artifacts for task in page.tasks), False)
        if not (token := page.next_page_token):
            break
    same("tasks", found, newest_first)
    page = await client.list_tasks(ListTasksRequest(**context, include_artifacts=True, page_size=1, history_length=0))
    same("artifacts", [texts(found) for found in page.tasks[0].artifacts], ["damaged on arrival"])
    same("history", list(page.tasks[0].history), [])
    none = await client.list_tasks(ListTasksRequest(**context, status=TaskState.TASK_STATE_WORKING))
    same("working", (list(none.tasks), none.total_size, none.next_page_token), ([], 0, ""))
    # Only over JSON-RPC does the SDK have a class for this.
    invalid = {
        "JSONRPC": (InvalidParamsError, "pageSize"),
        "HTTP+JSON": (sdk.A2AClientError, "400"),
        "GRPC": (sdk.A2AClientError, "INVALID_ARGUMENT"),
    }
    error, words = invalid[BINDING]
    await refused(error, client.list_tasks(ListTasksRequest(page_size=101)), words)


@check("cancel")
async def cancel(client):
    task = await begin(client)
    found = await client.cancel_task(CancelTaskRequest(id=task.id))
    same("task", (found.id, state(found.status)), (task.id, "CANCELED"))
    await refused(TaskNotCancelableError, client.cancel_task(CancelTaskRequest(id=task.id)))


@check("cancel: unknown task")
async def cancel_unknown(client):
    await refused(TaskNotFoundError, client.cancel_task(CancelTaskRequest(id="nobody")))


async def refused_subscription(error, id):
    client = await insist()
    await refused(error, client.subscribe(SubscribeToTaskRequest(id=id)))
    await client.close()


@check("subscribe")
async def subscribe(client):
    task = await begin(client)
    if not STREAMS:
        return await refused_subscription(UnsupportedOperationError, task.id)
    call = client.subscribe(SubscribeToTaskRequest(id=task.id))
    first = await anext(call)
    same("first event", (first.WhichOneof("payload"), first.task.id), ("task", task.id))
    await client.cancel_task(CancelTaskRequest(id=task.id))
    rest = [state(event.status_update.status) async for event in call]
    same("the last event", rest[-1], "CANCELED")


@check("subscribe: terminal task")
async def subscribe_terminal(client):
    task = await work(client, "classify 4411")
    await refused_subscription(UnsupportedOperationError, task.id)


@check("subscribe: unknown task")
async def subscribe_unknown(client):
    error = TaskNotFoundError if STREAMS else UnsupportedOperationError
    await refused_subscription(error, "nobody")


@asynccontextmanager
async def webhook():
    """A server that takes notifications; gives its url and a queue of (headers, StreamResponse)."""
    heard = asyncio.Queue()

    async def take(reader, writer):
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:] if line)}
        body = await reader.readexactly(int(headers["content-length"]))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()
        await heard.put((headers, Parse(body, StreamResponse())))

    async with await asyncio.start_server(take, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/hook", heard


def push(task_id, url, id=""):
    login = AuthenticationInfo(scheme="Bearer", credentials="open-sesame")
    return TaskPushNotificationConfig(task_id=task_id, id=id, url=url, token="t-1", authentication=login)


@check("push: create, get, list, delete")
async def configurations(client):
    task, url = await begin(client), "http://127.0.0.1:9/hook"
    made = await client.create_task_push_notification_config(push(task.id, url, "mine"))
    same("created", (made.task_id, made.id, made.url, made.token), (task.id, "mine", url, "t-1"))
    key = {"task_id": task.id, "id": "mine"}
    got = await client.get_task_push_notification_config(GetTaskPushNotificationConfigRequest(**key))
    same("got", got, made)
    named = await client.create_task_push_notification_config(push(task.id, url))
    same("an id of its own", bool(named.id) and named.id != "mine", True)
    every = ListTaskPushNotificationConfigsRequest(task_id=task.id)
    found = await client.list_task_push_notification_configs(every)
    same("listed", sorted(config.id for config in found.configs), sorted(["mine", named.id]))
    await client.delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest(**key))
    found = await client.list_task_push_notification_configs(every)
    same("left", [config.id for config in found.configs], [named.id])
    await client.cancel_task(CancelTaskRequest(id=task.id))


@check("push: unknown task")
async def configure_unknown(client):
    config = push("nobody", "http://127.0.0.1:9/hook")
    await refused(TaskNotFoundError, client.create_task_push_notification_config(config))


async def hear(heard, task_id, expected):
    for wanted in expected:
        headers, event = await heard.get()
        same("authorization", headers.get("authorization"), "Bearer open-sesame")
        same("media type", headers.get("content-type"), "application/a2a+json")
        update = getattr(event, event.WhichOneof("payload"))
        same("task", update.id if event.HasField("task") else update.task_id, task_id)
        found = state(update.status) if event.HasField("status_update") else event.WhichOneof("payload")
        same("notification", found, wanted)


@check("push: webhook of a created configuration")
async def created_webhook(client):
    async with webhook() as (url, heard):
        task = await work(client, "ask me")
        await client.create_task_push_notification_config(push(task.id, url))
        await work(client, "order 4411", ids(task))
        await hear(heard, task.id, ["WORKING", "artifact_update", "COMPLETED"])


@check("push: webhook given with a message")
async def sent_webhook(client):
    async with webhook() as (url, heard):
        task = await begin(client, "ask me", task_push_notification_config=push("", url))
        await hear(heard, task.id, ["WORKING", "INPUT_REQUIRED"])


@check("extended card")
async def extended_card(client):
    found = await client.get_extended_agent_card(GetExtendedAgentCardRequest())
    same("name", found.name, "Foreign, extended")
    same("skills", [skill.id for skill in found.skills], ["audit"])


@check("no credentials")
async def no_credentials(client):
    task = await begin(client)
    stranger = await connect(login=[])
    for call in (stranger.get_task(GetTaskRequest(id=task.id)), stranger.send_message(order("classify 4411"))):
        await refused(sdk.A2AClientError, call, "UNAUTHENTICATED" if BINDING == "GRPC" else "401")
    await stranger.close()


async def main():
    client, failed = await connect(), False
    for operation, function in CHECKS.items():
        try:
            await asyncio.wait_for(function(client), PATIENCE)
            result = {"ok": True}
        except Exception as error:
            result, failed = {"ok": False, "detail": f"{type(error).__name__}: {error}"}, True
        print(json.dumps({"operation": operation, "streaming": STREAMS, **result}), flush=True)
    await client.close()
    sys.exit(failed)


asyncio.run(main())
