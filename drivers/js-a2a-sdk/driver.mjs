// Drives the client of @a2a-js/sdk as its own sample does, for gauntlet (driver protocol 1). Nothing is added.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

import { Message, Role, TaskState } from '@a2a-js/sdk';
import * as sdk from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';

const TRANSPORTS = {
  JSONRPC: () => new sdk.JsonRpcTransportFactory(),
  GRPC: () => new GrpcTransportFactory(),
  'HTTP+JSON': () => new sdk.RestTransportFactory(),
};
const HELLO = {
  type: 'hello',
  protocol: 1,
  name: '@a2a-js/sdk',
  version: JSON.parse(readFileSync(new URL('../package.json', import.meta.resolve('@a2a-js/sdk')))).version,
  speaks: { bindings: Object.keys(TRANSPORTS), versions: ['1.0'] },
  partKinds: ['text', 'data', 'file'],
  supports: ['streaming', 'needs', 'multi-turn', 'reset', 'cross-origin', 'bearer'],
};
const RESULTS = ['completed', 'failed', 'rejected', 'canceled', 'input-required', 'auth-required'];

const clients = new Map(); // by session and by what a client is made for: a client keeps its card and its interface
const calls = new Map(); // by delegation: its client, its signal, what it asks for, and the ids to continue with

async function clientFor(work) {
  const [peer] = work.peers;
  const credentials = work.credentials?.[peer.name] ?? [];
  const token = credentials.find(({ scheme }) => ['bearer', 'oauth2'].includes(scheme))?.token;
  const bindings = work.allowedBindings ?? Object.keys(TRANSPORTS);
  const key = JSON.stringify([work.session, peer, token, bindings]);
  if (!clients.has(key)) {
    // The SDK does not look at what the card demands: what an application gives it for a peer goes out with every call.
    const before = async ({ options }) => {
      if (token) options.serviceParameters.Authorization = `Bearer ${token}`;
    };
    const clientConfig = { interceptors: [{ before, after: async () => {} }] };
    const transports = bindings.map((binding) => TRANSPORTS[binding]());
    clients.set(key, await new sdk.ClientFactory({ transports, clientConfig }).createFromUrl(peer.baseUrl));
  }
  return clients.get(key);
}

async function delegate(work) {
  const signal = AbortSignal.any([AbortSignal.timeout(work.deadlineMs), calls.get(work.id).abort.signal]);
  const call = { ...calls.get(work.id), client: await clientFor(work), signal, work, ids: {} };
  calls.set(work.id, call);
  return send(call, work.message.parts);
}

async function* events({ client, signal, work }, request) {
  if (work.needs.streaming !== 'unused') return yield* client.sendMessageStream(request, { signal });
  const result = await client.sendMessage(request, { signal });
  yield { payload: { $case: 'messageId' in result ? 'message' : 'task', value: result } };
}

async function send(call, parts) {
  const message = Message.fromJSON({ messageId: randomUUID(), parts, ...call.ids });
  message.role = Role.ROLE_USER;
  const configuration = { acceptedOutputModes: call.work.acceptedOutputModes ?? [], returnImmediately: false };
  let state, answer = '', remark = '';
  for await (const { payload } of events(call, { tenant: '', message, configuration })) {
    const { $case: kind, value } = payload ?? {};
    if (kind === 'message') return { status: 'completed', text: text(value) };
    if (kind === 'task') answer += value.artifacts.map(text).join('');
    if (kind === 'artifactUpdate') answer += text(value.artifact);
    if (kind === 'task' || kind === 'statusUpdate') {
      call.ids = { taskId: value.taskId ?? value.id, contextId: value.contextId };
      state = TaskState[value.status.state]?.replace('TASK_STATE_', '').toLowerCase().replace('_', '-');
      remark = text(value.status.message);
    }
  }
  // The SDK's iterator ends in the same way whatever the last state is: `returned` says that, and no more.
  return { status: RESULTS.includes(state) ? state : 'returned', text: answer || remark, taskId: call.ids.taskId };
}

const text = (content) =>
  (content?.parts ?? []).map((part) => (part.content?.$case === 'text' ? part.content.value : '')).join('');

// The SDK throws some errors in callbacks, where no caller can catch them: an application that is to live listens here.
let escaped = () => {};
process.on('uncaughtException', (error) => escaped(error));

async function report(id, call) {
  let outcome;
  try {
    outcome = await Promise.race([call, new Promise((_, reject) => (escaped = reject))]);
  } catch (error) {
    const late = calls.get(id).abort.signal.aborted || calls.get(id).signal?.aborted;
    outcome = { status: late ? 'timed-out' : 'raised', error: { type: error.name, message: error.message } };
  }
  say({ type: 'outcome', id, ...outcome });
}

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

say(HELLO);
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === 'delegate') {
    calls.set(message.id, { abort: new AbortController() });
    report(message.id, delegate(message));
  } else if (message.type === 'continue') {
    report(message.id, send(calls.get(message.id), message.parts));
  } else if (message.type === 'cancel') {
    calls.get(message.id)?.abort.abort();
  } else if (message.type === 'reset') {
    clients.clear();
    calls.clear();
    say({ type: 'reset-done', session: message.session });
  }
}
