// Does everything that the client of @a2a-js/sdk offers with one peer of gauntlet, and checks what comes back.
//
//     client.mjs BASE_URL BINDING streams|unary
//
// The peer is that of ../fleet.yaml, with or without streaming. Prints one JSON line for each check; ends with 1 if any
// failed.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

import { Role, StreamResponse, TaskState } from '@a2a-js/sdk';
import * as sdk from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import {
  A2AError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
  VersionNotSupportedError,
} from '@a2a-js/sdk/errors';
import * as grpc from '@grpc/grpc-js';

const [url, binding, mode] = process.argv.slice(2);
const streams = mode === 'streams';
const patience = 20_000; // milliseconds for one check

const same = (what, found, expected) => assert.deepEqual(found, expected, `${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);

/** That a promise fails with this error of the SDK, and that it says these words. */
async function refused(error, call, words = '') {
  let result;
  try {
    result = await call;
  } catch (thrown) {
    if (thrown instanceof error && thrown.message.includes(words)) return;
    throw thrown;
  }
  assert.fail(`${JSON.stringify(result)} instead of ${error.name}`);
}

/** Sends the token that the card asks for, over every binding. */
const login = {
  async before({ options }) {
    options.serviceParameters.Authorization = 'Bearer let-me-in';
  },
  async after() {},
};

function factory({ http = {}, channel = {}, interceptors = [login] } = {}) {
  const transport = {
    JSONRPC: () => new sdk.JsonRpcTransportFactory(http),
    'HTTP+JSON': () => new sdk.RestTransportFactory(http),
    GRPC: () => new GrpcTransportFactory(channel),
  }[binding]();
  return new sdk.ClientFactory({ transports: [transport], clientConfig: { interceptors } });
}

const client = await factory().createFromUrl(url);

async function events(call) {
  const found = [];
  for await (const event of call) found.push(event.payload);
  return found;
}

const say = (text, ids = {}, configuration = {}) => ({
  tenant: '',
  message: {
    messageId: randomUUID(),
    role: Role.ROLE_USER,
    parts: [{ content: { $case: 'text', value: text }, filename: '', mediaType: '', metadata: undefined }],
    contextId: '',
    taskId: '',
    extensions: [],
    referenceTaskIds: [],
    metadata: undefined,
    ...ids,
  },
  configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: false, ...configuration },
  metadata: undefined,
});

const get = (id, historyLength) => client.getTask({ tenant: '', id, historyLength });
const cancel = (id) => client.cancelTask({ tenant: '', id, metadata: undefined });
const subscribe = (id) => client.resubscribeTask({ tenant: '', id });
const state = (status) => TaskState[status.state].replace('TASK_STATE_', '');
const texts = (content) => (content?.parts ?? []).map((part) => (part.content.$case === 'text' ? part.content.value : '')).join('');
const idsOf = (task) => ({ taskId: task.id, contextId: task.contextId });
const told = (task) => task.history.map(texts);

/** Sends in the way of the mode, then fetches the task: what was said must agree with it. */
async function work(text, ids) {
  const last = (await events(client.sendMessageStream(say(text, ids)))).at(-1).value;
  const task = await get(last.taskId ?? last.id);
  same('the state told and the state held', state(last.status), state(task.status));
  return task;
}

/** Begins a task without waiting for it. */
const begin = (text = 'wait', configuration = {}) => client.sendMessage(say(text, {}, { returnImmediately: true, ...configuration }));

/** A server that takes notifications; `hear` gives the next one. */
async function webhook(use) {
  const heard = [];
  const arrived = () => once(server, 'heard');
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    response.end();
    heard.push({ headers: request.headers, event: StreamResponse.fromJSON(JSON.parse(Buffer.concat(chunks))).payload });
    server.emit('heard');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    await use(`http://127.0.0.1:${server.address().port}/hook`, async (taskId, expected) => {
      for (const wanted of expected) {
        while (heard.length === 0) await arrived();
        const { headers, event } = heard.shift();
        same('authorization', headers.authorization, 'Bearer open-sesame');
        same('media type', headers['content-type'], 'application/a2a+json');
        same('task', event.value.taskId, taskId);
        same('notification', event.$case === 'statusUpdate' ? state(event.value.status) : event.$case, wanted);
      }
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const push = (taskId, hook, id = '') => ({
  tenant: '',
  id,
  taskId,
  url: hook,
  token: 't-1',
  authentication: { scheme: 'Bearer', credentials: 'open-sesame' },
});

const checks = {
  async card() {
    const card = await new sdk.DefaultAgentCardResolver().resolve(url);
    same('name', card.name, 'Foreign');
    same('bindings', card.supportedInterfaces.map((entry) => entry.protocolBinding), ['JSONRPC', 'HTTP+JSON', 'GRPC']);
    same('tenants', card.supportedInterfaces.map((entry) => entry.tenant), ['acme', 'acme', 'acme']);
    same('skill', [card.skills[0].id, card.skills[0].tags], ['returns', ['returns', 'goods']]);
    same('streaming', card.capabilities.streaming, streams);
    same('push', card.capabilities.pushNotifications, true);
  },

  async send() {
    const said = await events(client.sendMessageStream(say('classify 4411')));
    const kinds = said.map((event) => event.$case);
    let task = said[0].value;
    let final = task.status;
    if (streams) {
      const chunk = 'artifactUpdate';
      same('events', kinds, ['task', 'statusUpdate', chunk, chunk, chunk, 'statusUpdate']);
      const updates = said.slice(2, 5).map((event) => event.value);
      same('append', updates.map((update) => update.append), [false, true, true]);
      same('last chunk', updates.map((update) => update.lastChunk), [false, false, true]);
      same('chunks', updates.map((update) => texts(update.artifact)).join(''), 'damaged on arrival');
      same('one artifact', new Set(updates.map((update) => update.artifact.artifactId)).size, 1);
      same('working', texts(said[1].value.status.message), 'looking');
      same('one task', [said[1].value.taskId, said[5].value.taskId], [task.id, task.id]);
      final = said[5].value.status;
      task = await get(task.id);
    } else {
      same('events', kinds, ['task']);
    }
    same('state', [state(final), texts(final.message)], ['COMPLETED', 'classified']);
    same('artifacts', task.artifacts.map((found) => [found.name, texts(found)]), [['label', 'damaged on arrival']]);
    same('history', told(task), ['classify 4411', 'looking']);
    same('roles', task.history.map((message) => message.role), [Role.ROLE_USER, Role.ROLE_AGENT]);
    for (const message of task.history) same('ids', [message.taskId, message.contextId], [task.id, task.contextId]);
  },

  async 'send: the other way'() {
    if (streams) {
      const task = await client.sendMessage(say('classify 4411'));
      same('task', task, await get(task.id));
      same('state', state(task.status), 'COMPLETED');
    } else {
      const card = await new sdk.DefaultAgentCardResolver().resolve(url);
      card.capabilities.streaming = true;
      const other = await factory().createFromAgentCard(card);
      await refused(UnsupportedOperationError, events(other.sendMessageStream(say('classify 4411'))));
    }
  },

  async 'send: message reply'() {
    const [event, ...more] = await events(client.sendMessageStream(say('hello')));
    same('reply', [event.$case, event.value.role, texts(event.value)], ['message', Role.ROLE_AGENT, 'hello yourself']);
    same('more', more, []);
  },

  async 'send: data and files'() {
    const [scores, photo, manual] = (await work('measure it')).artifacts.map((artifact) => artifact.parts[0]);
    same('data', scores.content, { $case: 'data', value: { damaged: 0.75, tags: ['dented', 'wet'], unknown: null } });
    same('raw', [photo.content.$case, photo.content.value.toString()], ['raw', 'not a photo']);
    same('file', [photo.filename, photo.mediaType], ['photo.txt', 'text/plain']);
    same('url', manual.content, { $case: 'url', value: 'http://127.0.0.1/manual.pdf' });
    same('file', [manual.filename, manual.mediaType], ['manual.pdf', 'application/pdf']);
  },

  async 'send: states'() {
    const expected = {
      'break it': ['FAILED', 'it broke'],
      'refuse it': ['REJECTED', 'not my work'],
      'sign in': ['AUTH_REQUIRED', 'sign in first'],
    };
    for (const [text, end] of Object.entries(expected)) {
      const { status } = await work(text);
      same(text, [state(status), texts(status.message)], end);
    }
  },

  async 'send: two turns'() {
    const task = await work('ask me');
    same('question', [state(task.status), texts(task.status.message)], ['INPUT_REQUIRED', 'which order?']);
    const again = await work('order 4411', idsOf(task));
    same('ids', idsOf(again), idsOf(task));
    same('answer', [state(again.status), again.artifacts.map(texts)], ['COMPLETED', ['order found']]);
    same('history', told(again), ['ask me', 'which order?', 'order 4411']);
  },

  async 'send: return immediately'() {
    const task = await begin();
    assert.match(state(task.status), /^(SUBMITTED|WORKING)$/);
  },

  async 'send: history length'() {
    same('history', (await begin('wait', { historyLength: 0 })).history, []);
  },

  async 'send: terminal task'() {
    const task = await work('classify 4411');
    await refused(UnsupportedOperationError, events(client.sendMessageStream(say('and now?', idsOf(task)))));
  },

  async 'send: unknown task'() {
    await refused(TaskNotFoundError, events(client.sendMessageStream(say('go on', { taskId: 'nobody' }))));
  },

  async get() {
    const task = await work('classify 4411');
    for (const [length, expected] of [[0, []], [1, ['looking']], [9, ['classify 4411', 'looking']]]) {
      const found = await get(task.id, length);
      same(`history of ${length}`, told(found), expected);
      same('task', { ...found, history: task.history }, task);
    }
  },

  async 'get: unknown task'() {
    await refused(TaskNotFoundError, get('nobody'));
  },

  async 'get: wrong version'() {
    // The SDK always sends its own version, so it is changed on its way out.
    const fetchImpl = (target, init) => fetch(target, { ...init, headers: { ...init.headers, 'A2A-Version': '9.1' } });
    const interceptor = (options, next) =>
      new grpc.InterceptingCall(next(options), {
        start(metadata, listener, proceed) {
          metadata.set('a2a-version', '9.1');
          proceed(metadata, listener);
        },
      });
    const altered = factory({ http: { fetchImpl }, channel: { grpcCallOptions: { interceptors: [interceptor] } } });
    const stranger = await altered.createFromUrl(url);
    const { id } = await begin();
    await refused(VersionNotSupportedError, stranger.getTask({ tenant: '', id }));
  },

  async list() {
    const list = (request) =>
      client.listTasks({ tenant: '', contextId, status: 0, pageToken: '', statusTimestampAfter: undefined, ...request });
    const first = await work('classify 1');
    const { contextId } = first;
    const second = await work('classify 2', { contextId });
    const third = await work('classify 3', { contextId });
    const found = [];
    let pageToken = '';
    do {
      const page = await list({ pageSize: 2, pageToken });
      same('sizes', [page.pageSize, page.totalSize], [2, 3]);
      same('no artifacts unless asked for', page.tasks.flatMap((task) => task.artifacts), []);
      found.push(...page.tasks.map((task) => task.id));
      pageToken = page.nextPageToken;
    } while (pageToken && found.length <= 3);
    same('tasks', found, [third.id, second.id, first.id]);
    const page = await list({ includeArtifacts: true, pageSize: 1, historyLength: 0 });
    same('artifacts', page.tasks[0].artifacts.map(texts), ['damaged on arrival']);
    same('history', page.tasks[0].history, []);
    const none = await list({ status: TaskState.TASK_STATE_WORKING });
    same('working', [none.tasks, none.totalSize, none.nextPageToken], [[], 0, '']);
    // Only over JSON-RPC does the SDK have a class for this.
    await refused(binding === 'JSONRPC' ? RequestMalformedError : A2AError, list({ pageSize: 101 }), 'pageSize');
  },

  async cancel() {
    const task = await begin();
    const found = await cancel(task.id);
    same('task', [found.id, state(found.status)], [task.id, 'CANCELED']);
    await refused(TaskNotCancelableError, cancel(task.id));
  },

  async 'cancel: unknown task'() {
    await refused(TaskNotFoundError, cancel('nobody'));
  },

  async subscribe() {
    const task = await begin();
    const call = subscribe(task.id);
    if (!streams) return await refused(UnsupportedOperationError, events(call));
    const { payload } = (await call.next()).value;
    same('first event', [payload.$case, payload.value.id], ['task', task.id]);
    await cancel(task.id);
    same('the last event', state((await events(call)).at(-1).value.status), 'CANCELED');
  },

  async 'subscribe: terminal task'() {
    const task = await work('classify 4411');
    await refused(UnsupportedOperationError, events(subscribe(task.id)));
  },

  async 'subscribe: unknown task'() {
    await refused(streams ? TaskNotFoundError : UnsupportedOperationError, events(subscribe('nobody')));
  },

  async 'push: create, get, list, delete'() {
    const { id: taskId } = await begin();
    const hook = 'http://127.0.0.1:9/hook';
    const list = async () => {
      const { configs } = await client.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' });
      return configs.map((config) => config.id);
    };
    const made = await client.createTaskPushNotificationConfig(push(taskId, hook, 'mine'));
    same('created', [made.taskId, made.id, made.url, made.token], [taskId, 'mine', hook, 't-1']);
    same('got', await client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' }), made);
    const named = await client.createTaskPushNotificationConfig(push(taskId, hook));
    assert.notEqual(named.id, '');
    same('listed', new Set(await list()), new Set(['mine', named.id]));
    await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' });
    same('left', await list(), [named.id]);
    await cancel(taskId);
  },

  async 'push: unknown task'() {
    await refused(TaskNotFoundError, client.createTaskPushNotificationConfig(push('nobody', 'http://127.0.0.1:9/hook')));
  },

  async 'push: webhook of a created configuration'() {
    await webhook(async (hook, hear) => {
      const task = await work('ask me');
      await client.createTaskPushNotificationConfig(push(task.id, hook));
      await work('order 4411', idsOf(task));
      await hear(task.id, ['WORKING', 'artifactUpdate', 'COMPLETED']);
    });
  },

  async 'push: webhook given with a message'() {
    await webhook(async (hook, hear) => {
      const task = await begin('ask me', { taskPushNotificationConfig: push('', hook) });
      await hear(task.id, ['WORKING', 'INPUT_REQUIRED']);
    });
  },

  async 'extended card'() {
    const card = await client.getAgentCard();
    same('name', card.name, 'Foreign, extended');
    same('skills', card.skills.map((skill) => skill.id), ['audit']);
  },

  async 'no credentials'() {
    const task = await begin();
    const stranger = await factory({ interceptors: [] }).createFromUrl(url);
    const words = binding === 'GRPC' ? ' 16 ' : 'credential is required';
    await refused(Error, stranger.getTask({ tenant: '', id: task.id }), words);
    await refused(Error, events(stranger.sendMessageStream(say('classify 4411'))), words);
  },
};

const late = (operation) =>
  new Promise((_, reject) => setTimeout(() => reject(new Error(`${operation} takes too long`)), patience).unref());

let failed = false;
for (const [operation, run] of Object.entries(checks)) {
  let result = { ok: true };
  try {
    await Promise.race([run(), late(operation)]);
  } catch (error) {
    failed = true;
    result = { ok: false, detail: `${error.name}: ${error.message}` };
  }
  console.log(JSON.stringify({ operation, streaming: streams, ...result }));
}
process.exit(failed ? 1 : 0);
