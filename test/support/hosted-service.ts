import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Loose } from './answers.ts';
import { listen } from './listen.ts';

export const GHOST = 'ghost';

/**
 * A server of ours that plays the hosted service: with small pages, tokens under the other name, times
 * in both forms, a listed document that fails every call naming it, and calls that are refused or cut.
 */
export async function hostedService(target: string) {
  const state = { calls: 0, stopAt: Number.POSITIVE_INFINITY };
  const server = createServer((request, response) => {
    state.calls += 1;
    if (state.calls >= state.stopAt) return deny(response);
    if (state.calls % 11 === 0) return request.socket.destroy();
    if (state.calls % 7 === 0) return refuse(response);
    forward(request, response).catch(() => response.destroy());
  });
  async function forward(request: IncomingMessage, response: ServerResponse) {
    const path = request.url ?? '';
    const { data } = JSON.parse(await text(request));
    if (JSON.stringify(data).includes(`"${GHOST}"`)) return fail(response);
    const small = path.includes('judgments') ? { limit: 2 } : 'pageSize' in data && { pageSize: 2 };
    const answer = await fetch(target + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-velt-api-key': String(request.headers['x-velt-api-key']),
        'x-velt-auth-token': String(request.headers['x-velt-auth-token']),
      },
      body: JSON.stringify({ data: { ...data, ...small } }),
    });
    const body: Loose = await answer.json();
    if (body.result) body.result = disguise(path, data, body.result);
    send(response, answer.status, body);
  }
  return { url: await listen(server), state };
}

function disguise(path: string, asked: Loose, result: Loose): Loose {
  const { nextPageToken, pageToken, data, ...rest } = result;
  const isLast = nextPageToken === undefined && pageToken === undefined;
  if (path.endsWith('/documents/get') && isLast && !asked.folderId) data.push({ id: GHOST });
  if (path.endsWith('/commentannotations/get')) data.forEach(mixTimes);
  return { ...rest, data, nextPageToken: pageToken, pageToken: nextPageToken };
}

function mixTimes(annotation: Loose): void {
  annotation.targetElement = { xpath: '/html/body' };
  for (const comment of annotation.comments) {
    if (comment.commentId % 2 === 0) comment.createdAt = new Date(comment.createdAt).toISOString();
  }
}

function send(response: ServerResponse, status: number, body: object, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

const refuse = (response: ServerResponse) =>
  send(response, 429, { error: { message: 'Too many.' } }, { 'retry-after': '0.01' });
const fail = (response: ServerResponse) => send(response, 500, { error: { message: 'Failed.' } });
const deny = (response: ServerResponse) => send(response, 403, { error: { message: 'Denied.' } });
