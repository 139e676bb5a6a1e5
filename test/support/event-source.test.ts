import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { HeaderEventSource } from './event-source.ts';
import { eventually } from './eventually.ts';

const open: Array<() => void> = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** A server that answers each connection with the next of these, and closes it. */
async function serve(...answers: Array<string | number>) {
  const asked: Array<string | string[] | undefined> = [];
  const server = createServer((request, response) => {
    asked.push(request.headers['last-event-id']);
    const answer = answers[asked.length - 1] ?? 204;
    if (typeof answer === 'number') response.writeHead(answer).end();
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => server.close());
  const source = new HeaderEventSource(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
  const messages: Array<{ type: string; data: string; lastEventId: string }> = [];
  for (const type of ['message', 'ping']) {
    source.addEventListener(type, (event) => {
      const { data, lastEventId } = event as MessageEvent;
      messages.push({ type, data, lastEventId });
    });
  }
  open.push(() => source.close());
  const closed = () => eventually(() => expect(source.readyState).toBe(source.CLOSED));
  return { asked, messages, closed };
}

describe('the EventSource that sends headers', () => {
  it('parses messages as browsers do', async () => {
    const { messages, closed } = await serve(
      ': a comment\n\ndata: one\nid: 1\n\n\ndata:two\r\ndata:  lines\r\n\r\nevent: ping\ndata: \n\ndata: \u2028\n\nid\n\ndata: three\n\ndata: cut',
    );
    await closed();
    expect(messages).toEqual([
      { type: 'message', data: 'one', lastEventId: '1' },
      { type: 'message', data: 'two\n lines', lastEventId: '1' },
      { type: 'ping', data: '', lastEventId: '1' },
      { type: 'message', data: '\u2028', lastEventId: '1' },
      { type: 'message', data: 'three', lastEventId: '' },
    ]);
  });

  it('reconnects after the last event id, also after server errors', async () => {
    const { asked, messages, closed } = await serve('id: 7\n\n', 503, 'data: after\n\n');
    await closed();
    expect(asked).toEqual([undefined, '7', '7', '7']);
    expect(messages).toEqual([{ type: 'message', data: 'after', lastEventId: '7' }]);
  });

  it.each([204, 400, 403, 404])('gives up on an answer of %d', async (status) => {
    const { asked, closed } = await serve(status);
    await closed();
    expect(asked).toHaveLength(1);
  });
});
