import { once } from 'node:events';
import { createTRPCClient, createWSClient, wsLink } from '@trpc/client';
import superjson from 'superjson';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { AppRouter } from '../../src/features/index.ts';
import { annotationsOf, type Place } from '../support/annotations.ts';
import { dataOf, fresh, type Loose } from '../support/answers.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer } from '../support/server.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

/** Subscriptions of a page over one WebSocket, with the link of tRPC's own client. */

const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };
const server = await startTestServer({}, { clock });

const add = async (to: Place, annotationId: string) =>
  dataOf(await annotationsOf(server).add(to, [{ annotationId }]));

const newPlace = async (): Promise<Place> => {
  const place = annotationsOf(server).place();
  await add(place, fresh('first'));
  return place;
};

const newToken = async (userId: string): Promise<string> =>
  (await server.ok('/v2/auth/generate_token', { userId })).token;

/** A page that asks for a token whenever it connects. */
function openPage(token: () => string | Promise<string>) {
  /** The connections that the page opened, and why each was closed. */
  const page = { connections: 0, closings: [] as string[] };
  const ws = createWSClient({
    url: `${server.url.replace('http', 'ws')}/trpc`,
    WebSocket: WebSocket as never,
    connectionParams: async () => ({ token: await token() }),
    onOpen: () => page.connections++,
    onClose: (cause) => page.closings.push((cause as CloseEvent | undefined)?.reason ?? ''),
  });
  whenTestEnds(() => ws.close());
  const links = [wsLink<AppRouter>({ client: ws, transformer: superjson })];
  return Object.assign(page, { client: createTRPCClient<AppRouter>({ links }) });
}

async function follow({ client }: ReturnType<typeof openPage>, input: Place) {
  const failure = undefined as { data?: unknown } | undefined;
  const seen = { ids: [] as string[], starts: 0, failure };
  client.comments.changes.subscribe(input, {
    onStarted: () => seen.starts++,
    onData: ({ data }: Loose) => seen.ids.push(data.commentAnnotation?.annotationId ?? data.type),
    onError: (failure) => {
      seen.failure = failure;
    },
  });
  await eventually(() => expect(seen.starts > 0 || seen.failure).toBeTruthy());
  return seen;
}

describe('one connection', () => {
  it('survives the end of its token: it resumes after the last event with a new one', async () => {
    const where = await newPlace();
    const user = fresh('ada');
    let token = await newToken(user);
    const renewed = Promise.withResolvers<void>();
    let connects = 0;
    const page = openPage(async () => {
      if (connects++ > 0) await renewed.promise;
      return token;
    });
    const seen = await follow(page, where);
    await add(where, fresh('before'));
    await eventually(() => expect(seen.ids).toHaveLength(1));
    clock.time += 48 * 60 * 60_000;
    await eventually(() => expect(page.closings).toEqual(['TOKEN_EXPIRED']));
    await add(where, fresh('meanwhile'));
    token = await newToken(user);
    renewed.resolve();
    await eventually(() => expect(seen.ids).toHaveLength(2));
    expect(seen.failure).toBeUndefined();
    expect(page.connections).toBe(2);
  });

  it('ends its subscriptions when no new token is given', async () => {
    const token = await newToken(fresh('ada'));
    const page = openPage(() => token);
    const seen = await follow(page, await newPlace());
    clock.time += 48 * 60 * 60_000;
    await eventually(() => expect(seen.failure).toBeDefined());
    expect(seen.failure?.data).toMatchObject({ details: { reason: 'TOKEN_EXPIRED' } });
  });

  it('keeps the other subscriptions when one is refused', async () => {
    const token = await newToken(fresh('ada'));
    const page = openPage(() => token);
    const where = await newPlace();
    const refused = await follow(page, annotationsOf(server).place());
    expect(refused.failure?.data).toMatchObject({ status: 'PERMISSION_DENIED' });
    const seen = await follow(page, where);
    await add(where, fresh('later'));
    await eventually(() => expect(seen.ids).toHaveLength(1));
    expect(page.connections).toBe(1);
  });
});

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

const subscription = (id: number, input: object, lastEventId?: string) => ({
  id,
  method: 'subscription',
  params: { path: 'comments.changes', input: { json: input }, lastEventId },
});

describe('the protocol', () => {
  it('gives a position at the start, from which a client can resume that has received no item', async () => {
    const where = await newPlace();
    const first = await connect('', server.keyHeaders);
    first.send(subscription(1, where));
    await eventually(() => expect(first.messages).toHaveLength(1));
    const { type, id } = first.messages[0].result;
    expect(type).toBe('started');
    first.socket.terminate();
    await add(where, fresh('missed'));
    const second = await connect('', server.keyHeaders);
    second.send(subscription(1, where, id));
    await eventually(() => expect(second.messages).toHaveLength(2));
    expect(second.messages[1].result.type).toBe('data');
  });

  it('takes subscriptions only, and says so', async () => {
    const { messages, send } = await connect('', server.keyHeaders);
    send({ id: 7, method: 'query', params: { path: 'events.get', input: { json: {} } } });
    await eventually(() => expect(messages).toHaveLength(1));
    expect(messages[0]).toMatchObject({ id: 7, error: { json: { data: { httpStatus: 400 } } } });
    expect(messages[0].error.json.message).toContain('over HTTP');
  });

  it('names the subscription that was meant, and the message that is missing', async () => {
    const { messages, send } = await connect('', server.keyHeaders);
    send({
      id: 8,
      method: 'subscription',
      params: { path: 'comment.changes', input: { json: {} } },
    });
    await eventually(() => expect(messages).toHaveLength(1));
    expect(messages[0].error.json.message).toContain('Did you mean comments.changes?');
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
    for (let at = 0; at < 80; at++) send({ id: 'x'.repeat(200_000), ...query });
    send(subscription(1, where));
    await eventually(() => expect(socket.bufferedAmount).toBeGreaterThan(0));
    socket.resume();
    await eventually(() => expect(messages).toHaveLength(81));
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { type: 'started' } });
  });

  it('closes a connection that asks too often', async () => {
    const { socket, send } = await connect('', server.keyHeaders);
    const closed = once(socket, 'close');
    for (let at = 0; at < 500; at++) send({ id: at, method: 'subscription.stop' });
    const [, reason] = await closed;
    expect(String(reason)).toBe('RESOURCE_EXHAUSTED');
  });
});
