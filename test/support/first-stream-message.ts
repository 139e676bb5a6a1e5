import { once } from 'node:events';
import WebSocket from 'ws';
import type { Loose } from './answers.ts';
import type { TestServer } from './server.ts';
import { whenFileEnds } from './when-file-ends.ts';

/** Subscribes to comments over a new WebSocket, and returns the first message of the server. */
export async function firstStreamMessage(
  { url }: TestServer,
  input: object,
  headers: Record<string, string>,
): Promise<Loose> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/trpc`, { headers });
  whenFileEnds(() => socket.terminate());
  await once(socket, 'open');
  const params = { path: 'comments.changes', input: { json: input } };
  socket.send(JSON.stringify({ id: 1, method: 'subscription', params }));
  const [message] = await once(socket, 'message');
  return JSON.parse(String(message));
}
