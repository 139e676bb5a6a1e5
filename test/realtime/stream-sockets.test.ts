import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { annotationsOf, type Place } from '../support/annotations.ts';
import { dataOf, fresh, type Loose } from '../support/answers.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer } from '../support/server.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

/** The protocol of subscriptions over one WebSocket. The client's tests follow them with tRPC's own link. */

const server = await startTestServer();

const add = async (to: Place, annotationId: string) =>
  dataOf(await annotationsOf(server).add(to, [{ annotationId }]));

const newPlace = async (): Promise<Place> => {
  const place = annotationsOf(server).place();
  await add(place, fresh('first'));
  return place;
};

/** A client that speaks the protocol by itself. */
async function connect(query: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/trpc${query}`, { headers });
  const messages: Loose[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  whenTestEnds(() => socket.terminate());
  await once(socket, 'open');
  const send = (message: unknown) => socket.send(JSON.stringify(message));
  return { socket, messages, send };
}

const subscription = (id: number, input: object) => ({
  id,
  method: 'subscription',
  params: { path: 'comments.changes', input: { json: input } },
});

describe('the protocol', () => {
  it('takes subscriptions only, and says so, or which one was meant, or which message is missing', async () => {
    const { messages, send } = await connect('', server.keyHeaders);
    send({ id: 7, method: 'query', params: { path: 'events.get', input: { json: {} } } });
    send({
      id: 8,
      method: 'subscription',
      params: { path: 'comment.changes', input: { json: {} } },
    });
    await eventually(() => expect(messages).toHaveLength(2));
    expect(messages[0]).toMatchObject({ id: 7, error: { json: { data: { httpStatus: 400 } } } });
    expect(messages[0].error.json.message).toContain('over HTTP');
    expect(messages[1].error.json.message).toContain('Did you mean comments.changes?');
    const other = await connect('?connectionParams=1');
    other.send(subscription(1, await newPlace()));
    await eventually(() => expect(other.messages).toHaveLength(1));
    expect(other.messages[0].error.json.message).toContain('"method": "connectionParams"');
  });

  it('stops one subscription without the others', async () => {
    const where = await newPlace();
    const { messages, send } = await connect('', server.keyHeaders);
    send([subscription(1, where), subscription(2, where)]);
    await eventually(() => expect(messages).toHaveLength(2));
    send({ id: 1, method: 'subscription.stop' });
    await eventually(() => expect(messages.at(-1)).toEqual({ id: 1, result: { type: 'stopped' } }));
    await add(where, fresh('later'));
    await eventually(() => expect(messages).toHaveLength(4));
    expect(messages.at(-1)).toMatchObject({ id: 2, result: { type: 'data' } });
  });

  it.each(['nonsense', '[[]]', '{"id":1}', '"x"', '{"id":{},"method":"subscription"}'])(
    'answers %s with a failure',
    async (text) => {
      const { messages, socket } = await connect('', server.keyHeaders);
      socket.send(text);
      await eventually(() => expect(messages).toHaveLength(1));
      expect(messages[0].error.json.data.status).toBe('INVALID_ARGUMENT');
    },
  );

  it('answers every request of a client that reads nothing for a while', async () => {
    const where = await newPlace();
    const { socket, messages, send } = await connect('', server.keyHeaders);
    socket.pause();
    // The answers repeat these ids, and are more than the network holds.
    const query = { method: 'query', params: { path: 'events.get', input: { json: {} } } };
    send(subscription(1, where));
    for (let at = 0; at < 80; at++) send({ id: 'x'.repeat(200_000), ...query });
    await eventually(() => expect(socket.bufferedAmount).toBeGreaterThan(0));
    socket.resume();
    await eventually(() => expect(messages).toHaveLength(81));
    const [started] = messages.filter(({ id }) => id === 1);
    expect(started?.result.type).toBe('started');
  });

  it('closes a connection that asks too often', async () => {
    const { socket, send } = await connect('', server.keyHeaders);
    const closed = once(socket, 'close');
    for (let at = 0; at < 500; at++) send({ id: at, method: 'subscription.stop' });
    const [, reason] = await closed;
    expect(String(reason)).toBe('RESOURCE_EXHAUSTED');
  });
});
