// Connects a client to gauntlet: one JSON object a line in, one out. Replace `delegate` by a call of your client.
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";

const STATUSES = ["completed", "failed", "rejected", "canceled", "input-required", "auth-required"];

async function ask(url, ms, body) {
  const headers = { "Content-Type": "application/json", "A2A-Version": "1.0" };
  const more = body ? { method: "POST", body: JSON.stringify(body) } : {};
  return (await fetch(url, { headers, signal: AbortSignal.timeout(ms), ...more })).json();
}

async function delegate({ peers, message, deadlineMs }) {
  const card = await ask(peers[0].cardUrl, deadlineMs);
  const spoken = (one) => one.protocolBinding === "JSONRPC" && one.protocolVersion.startsWith("1.");
  const { url, tenant } = card.supportedInterfaces.find(spoken);
  const params = { message: { messageId: randomUUID(), role: "ROLE_USER", parts: message.parts }, ...(tenant && { tenant }) };
  const { error, result } = await ask(url, deadlineMs, { jsonrpc: "2.0", id: 1, method: "SendMessage", params });
  if (error) return { status: "failed", text: error.message };
  const parts = result.message?.parts ?? (result.task.artifacts ?? []).flatMap((artifact) => artifact.parts);
  const state = result.task?.status.state.replace("TASK_STATE_", "").toLowerCase().replace("_", "-") ?? "completed";
  return { status: STATUSES.includes(state) ? state : "returned", text: parts.map((part) => part.text ?? "").join("") };
}

const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");

for await (const line of createInterface({ input: process.stdin })) {
  const said = JSON.parse(line);
  if (said.type === "start") say({ type: "hello", protocol: 1, name: "my-client", supports: [] });
  if (said.type !== "delegate") continue;
  const outcome = await delegate(said).catch(({ name, message }) => ({ status: "raised", error: { type: name, message } }));
  say({ type: "outcome", id: said.id, ...outcome });
}
