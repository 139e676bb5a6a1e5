import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { type PostResult, post } from '../../../src/features/webhooks/engine/post.ts';
import { createOutboundAgent } from '../../../src/platform/outbound/agent.ts';
import { hang, type Respond, startReceiver } from '../../support/receiver.ts';
import { whenFileEnds, whenTestEnds } from '../../support/when-file-ends.ts';

const agent = createOutboundAgent(['127.0.0.0/8']);
whenFileEnds(() => agent.destroy());

const receiver = await startReceiver();

/** Posts to a receiver that behaves like this, and advances the clock once it has been reached. */
async function postFor(respond: Respond, elapsedMs: number): Promise<PostResult | 'waiting'> {
  receiver.respond = respond;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const body = '{}';
  const headers = { 'content-type': 'application/json' };
  const reached = once(receiver.server, 'request');
  const result = post(agent, { origin: receiver.url, path: '/', headers, body });
  await reached;
  vi.advanceTimersByTime(elapsedMs);
  return Promise.race([
    result,
    new Promise<'waiting'>((resolve) => setImmediate(resolve, 'waiting')),
  ]);
}

const tooSlow = { error: 'No complete response within 15 seconds.', retryAfter: undefined };

describe('an attempt', () => {
  it('waits 15 seconds for an answer, closes the connection then, and for no endless one', async () => {
    const hungUp = new Promise((resolve) => {
      receiver.respond = (_request, response) => response.once('close', resolve);
    });
    expect(await postFor(receiver.respond, 14_999)).toBe('waiting');
    vi.advanceTimersByTime(1);
    await hungUp;
    expect(await postFor(hang, 15_000)).toMatchObject({ ...tooSlow, statusCode: null });
    const begin: Respond = (_request, response) => void response.writeHead(200).write('and so ');
    expect(await postFor(begin, 15_000)).toMatchObject(tooSlow);
  });

  it('is repeated at once if the receiver closes a connection that was idle', async () => {
    const used = new Set<unknown>();
    const own = await startReceiver((_request, response) => {
      const { socket } = response;
      if (used.has(socket)) return socket?.end();
      used.add(socket);
      response.writeHead(200).end();
    });
    const reusing = createOutboundAgent(['127.0.0.0/8'], { connections: 1 });
    whenTestEnds(() => reusing.destroy());
    const send = () => post(reusing, { origin: own.url, path: '/', headers: {}, body: '{}' });
    expect(await send()).toMatchObject({ statusCode: 200, error: null });
    expect(await send()).toMatchObject({ statusCode: 200, error: null });
    expect(own.received).toHaveLength(3);
    own.respond = (_request, response) => response.socket?.end();
    expect(await send()).toMatchObject({ statusCode: null, error: expect.any(String) });
  });
});
