import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { signUserToken } from '../../src/api/credentials/user-tokens.ts';
import { threadActions } from '../../src/client/core.ts';
import {
  type CollaborationClient,
  CollaborationError,
  createClient,
} from '../../src/client/index.ts';
import { createServerClient, tokenHandler } from '../../src/client/server.ts';
import { transportOf } from '../../src/client/transport.ts';
import { organize } from '../support/directory.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer } from '../support/server.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

/** The requests of a client, and the failures that its connection has in store. */
const requests: Array<{ url: string; method: string; key: string | null }> = [];
const losses: Array<'request' | 'answer'> = [];

/** A connection that loses some requests, or their answers. */
const unreliableFetch: typeof fetch = async (input, init) => {
  const { url, method, headers } = new Request(input, init);
  requests.push({ url, method, key: headers.get('idempotency-key') });
  const lost = losses.shift();
  if (lost === 'request') throw new TypeError('fetch failed');
  const response = await fetch(input, init);
  if (lost === 'answer') throw new TypeError('fetch failed');
  return response;
};

const server = await startTestServer();
const client = createServerClient({ ...server.quickstart, fetch: unreliableFetch });
for (const id of ['acme', 'three']) await organize(server, id, { documents: ['a', 'b', 'c'] });
await client.users.add({ organizationId: 'acme', users: [{ userId: 'ada' }] });

const failureOf = (call: Promise<unknown>): Promise<CollaborationError> =>
  call.then(
    () => expect.unreachable(),
    (error) => {
      expect(error).toBeInstanceOf(CollaborationError);
      return error;
    },
  );

describe('calls of the client', () => {
  it('need no WebSocket, and subscriptions say that they do', async () => {
    vi.stubGlobal('WebSocket', undefined);
    const bare = createServerClient(server.quickstart);
    expect((await bare.documents.get({ organizationId: 'three' })).data).toHaveLength(3);
    const place = { organizationId: 'acme', documentId: 'a' };
    expect(() => bare.comments.changes(place)).toThrow('Subscriptions need a WebSocket');
  });

  it('are not made by what prints, compares or inspects the client', async () => {
    requests.length = 0;
    const printed = `${client} ${client.documents} ${JSON.stringify({ client })} ${inspect(client)}`;
    expect(printed).toContain('function');
    expect(await client.documents).toBe(client.documents);
    // Vue and React look for marks of theirs on every object, and follow `__v_raw` to its end.
    for (const mark of ['__v_raw', '$$typeof', 'toJSON', '@@iterator', 'then']) {
      expect(Reflect.get(client, mark)).toBeUndefined();
    }
    await new Promise(setImmediate);
    expect(requests).toEqual([]);
  });

  it('made at once share one request for reads, with no id in its address', async () => {
    requests.length = 0;
    const got = await Promise.all(
      ['a', 'b', 'c'].map((id) =>
        client.documents.get({ organizationId: 'acme', documentIds: [id] }),
      ),
    );
    expect(got.map(({ data }) => data[0]?.id)).toEqual(['a', 'b', 'c']);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ method: 'POST' });
    expect(requests[0]?.url).not.toContain('acme');
  });

  it('take effect once when the answer is lost', async () => {
    requests.length = 0;
    losses.push('answer', 'request');
    const added = await client.commentAnnotations.add({
      organizationId: 'acme',
      documentId: 'a',
      commentAnnotations: [{ commentData: [{ commentText: 'Once', from: { userId: 'ada' } }] }],
    });
    expect(requests).toHaveLength(3);
    expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
    const stored = await client.commentAnnotations.get({
      organizationId: 'acme',
      documentIds: ['a'],
    });
    expect(Object.keys(added)).toHaveLength(1);
    expect(stored).toMatchObject({ data: [{ comments: [{ commentText: 'Once' }] }] });
  });

  it('give one page after the other', async () => {
    const pages: string[][] = [];
    for await (const { data } of client.documents.pages({ organizationId: 'three', pageSize: 2 })) {
      pages.push(data.map(({ id }) => id));
    }
    expect(pages.map((page) => page.length)).toEqual([2, 1]);
    expect(pages.flat().sort()).toEqual(['a', 'b', 'c']);
  });

  it('reject with what the server says, and its request id', async () => {
    const wrong = { organizationId: 'acme', documents: 7 };
    // @ts-expect-error the compiler knows the input
    const error = await failureOf(client.documents.add(wrong));
    expect(error).toMatchObject({
      status: 'INVALID_ARGUMENT',
      httpStatus: 400,
      issues: [{ path: 'documents' }],
      retryable: false,
      requestId: expect.any(String),
    });
    expect(error.message).not.toMatch(/trpc/i);
  });

  it.each([
    ['', 'but it is .'],
    ['collaboration.example.com', 'but it is collaboration.example.com.'],
    [undefined as unknown as string, 'but it is undefined.'],
  ])('need the whole address of the server, unlike %j', (url, message) => {
    expect(() => createClient({ url, token: 'x' })).toThrow(message);
  });

  it('reject when no server answers', async () => {
    const nobody = createClient({ url: 'http://127.0.0.1:1', token: 'x', retries: 0 });
    const error = await failureOf(nobody.documents.get({ organizationId: 'acme' }));
    expect(error).toMatchObject({ status: 'UNAVAILABLE', httpStatus: 0, retryable: true });
    expect(error.message).toBe('The server cannot be reached.');
  });

  it.each([
    [502, { status: 'UNAVAILABLE', retryable: true }],
    [429, { status: 'RESOURCE_EXHAUSTED', retryable: true, retryAfterMs: 2000 }],
    [413, { status: 'INTERNAL', retryable: false }],
  ])('say that a proxy has answered %i', async (httpStatus, failure) => {
    const headers = { 'content-type': 'text/html', 'retry-after': '2' };
    const answer = async () => new Response('<h1>Sorry</h1>', { status: httpStatus, headers });
    const behindProxy = createClient({ url: server.url, token: 'x', retries: 0, fetch: answer });
    const error = await failureOf(behindProxy.documents.get({ organizationId: 'acme' }));
    expect(error).toMatchObject({ httpStatus, ...failure });
    expect(error.message).toContain(`responded with ${httpStatus}`);
  });

  it('are repeated when the server wants them again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const send = vi.fn<typeof fetch>(fetch);
    const busy = { status: 429, headers: { 'retry-after': '20' } };
    send.mockResolvedValueOnce(Response.json({}, busy));
    const patient = createServerClient({ ...server.quickstart, fetch: send });
    const read = patient.documents.get({ organizationId: 'three' });
    await vi.advanceTimersByTimeAsync(19_000);
    expect(send).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await read).data).toHaveLength(3);
  });

  it('end with their signal', async () => {
    const stop = new AbortController();
    const waiting = client.documents.get({ organizationId: 'acme' }, { signal: stop.signal });
    stop.abort(new Error('The page was left.'));
    await expect(waiting).rejects.toThrow('The page was left.');
  });
});

const namesOf = async (of: CollaborationClient, userId: string): Promise<string[]> => {
  const { data } = await of.users.get({ organizationId: 'acme', userIds: [userId] });
  return data.map((found) => found.userId);
};

function expiredToken(userId = 'ada'): Promise<string> {
  const { secrets, clock } = server.app.services;
  const longAgo = { now: () => clock.now() - 49 * 60 * 60_000 };
  return signUserToken(secrets, longAgo, {
    tenantId: server.quickstart.apiKey,
    userId,
    era: '0.',
  });
}

/** What a page stores, which the next page finds. */
function pageStorage() {
  const stored = new Map<string, string>();
  const keepWrites = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
  };
  const kept = () => JSON.parse(stored.get('collaboration') ?? '[]');
  const whenSent = () => eventually(() => expect([...stored.values()]).toEqual(['[]']));
  return { stored, keepWrites, kept, whenSent };
}

const WAITED = { commentAnnotations: [{ commentData: [{ commentText: 'Waited' }] }] };

describe('a user token', () => {
  const user = {
    userId: 'ada',
    permissions: { resources: [{ type: 'organization' as const, id: 'acme' }] },
  };
  const tokenOf = async (userId = 'ada') =>
    (await client.auth.generateToken({ ...user, userId })).token;

  async function newDocument(documentId: string) {
    await client.documents.add({ organizationId: 'acme', documents: [{ documentId }] });
    return { organizationId: 'acme', documentId };
  }

  /** The comments of a document, the oldest first. */
  const commentsOf = async (place: { organizationId: string; documentId: string }) => {
    const { data } = await client.commentAnnotations.get({ ...place, order: 'asc' });
    const comments = data.flatMap((thread) => thread?.comments ?? []);
    return comments.map(({ from, commentText }) => [from?.userId, commentText]);
  };

  it('comes from the handler of the app, which refuses strangers, and everybody for a while when the server is away', async () => {
    const handler = tokenHandler(client, (request) =>
      request.headers.has('cookie') ? user : undefined,
    );
    const request = new Request('https://app.example.com/token');
    expect((await handler(request)).status).toBe(401);
    const answer = await handler(new Request(request, { headers: { cookie: 'session' } }));
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const browser = createClient({ url: server.url, token: () => answer.json() });
    expect(await namesOf(browser, 'ada')).toEqual(['ada']);

    // Nothing listens at port 9. An exception would end an app that does not expect it.
    const nowhere = { ...server.quickstart, url: 'http://127.0.0.1:9', retries: 0 };
    const refusal = await tokenHandler(createServerClient(nowhere), () => user)(request);
    expect(refusal.status).toBe(503);
    expect(await refusal.text()).toBe('The server cannot be reached.');
    const wrong = createServerClient({ ...server.quickstart, authToken: 'of nobody' });
    await expect(tokenHandler(wrong, () => user)(request)).rejects.toMatchObject({
      status: 'PERMISSION_DENIED',
    });
  });

  it('is requested once for all calls of a moment, and again when it has expired', async () => {
    const expired = await expiredToken();
    const fresh = await tokenOf();
    const getToken = vi.fn().mockResolvedValueOnce(expired).mockResolvedValue(fresh);
    const browser = createClient({ url: server.url, token: getToken });
    const calls = ['ada', 'bea', 'ada'].map((userId) => namesOf(browser, userId));
    expect(await Promise.all(calls)).toEqual([['ada'], [], ['ada']]);
    expect(getToken).toHaveBeenCalledTimes(2);
  });

  it.each(['call', 'answer'])(
    'sends a write whose %s was lost with its page, once',
    async (lost) => {
      const { keepWrites, whenSent } = pageStorage();
      const token = await tokenOf();
      const hangs = Promise.withResolvers<Response>();
      const arrived = Promise.withResolvers<void>();
      const lastPage = createClient({
        ...{ url: server.url, token, keepWrites },
        fetch: async (input, init) => {
          if (lost === 'answer') await fetch(input, init);
          arrived.resolve();
          return hangs.promise;
        },
      });
      const place = { organizationId: 'acme', documentId: lost === 'call' ? 'b' : 'c' };
      lastPage.commentAnnotations.add({ ...place, ...WAITED }).catch(() => {});
      await arrived.promise;

      // Somebody else signs in on the page, then the author.
      createClient({ url: server.url, token: await tokenOf('eve'), keepWrites });
      createClient({ url: server.url, token, keepWrites });
      await whenSent();
      expect(await commentsOf(place)).toEqual([['ada', 'Waited']]);
    },
  );

  it('sends all writes to a document that waited when their page was lost, in their order, before new ones, and no presence', async () => {
    const { keepWrites, kept } = pageStorage();
    const token = await tokenOf();
    const lost = ['commentAnnotations.add', 'presence.update'];
    const sent: string[] = [];
    const lastPage = createClient({
      ...{ url: server.url, token, keepWrites },
      fetch: async (input, init) => {
        const operation = String(input).split('/').at(-1) ?? '';
        if (!lost.includes(operation)) return fetch(input, init);
        sent.push(operation);
        return new Promise(() => {});
      },
    });
    const place = await newDocument('queue');
    const { createThread } = threadActions(lastPage, place);
    for (const text of ['First', 'Second']) createThread({ text }).catch(() => {});
    const users = [{ userId: 'ada', status: 'online' }];
    lastPage.presence.update({ ...place, users }).catch(() => {});
    await eventually(() => expect(sent.toSorted()).toEqual(lost));
    await eventually(() => expect(kept()).toHaveLength(2));

    const nextPage = createClient({ url: server.url, token, keepWrites });
    await threadActions(nextPage, place).createThread({ text: 'Third' });
    await eventually(() => expect(kept()).toEqual([]));
    const texts = (await commentsOf(place)).map(([, text]) => text);
    expect(texts).toEqual(['First', 'Second', 'Third']);
  });

  const keptWrite = (documentId: string) => ({
    ...{
      path: 'commentAnnotations.add',
      idempotencyKey: documentId,
      userId: 'ada',
      at: Date.now(),
    },
    input: { organizationId: 'acme', documentId, ...WAITED },
  });

  it('cancels a write that waits for those of the last page, and keeps it no longer', async () => {
    const { stored, keepWrites, kept } = pageStorage();
    const first = keptWrite('cancelled');
    stored.set('collaboration', JSON.stringify([first]));
    const hangs = () => new Promise<Response>(() => {});
    const nextPage = createClient({
      ...{ url: server.url, keepWrites },
      token: tokenOf,
      fetch: hangs,
    });
    const cancel = new AbortController();
    const write = nextPage.commentAnnotations.add(first.input, { signal: cancel.signal });
    await eventually(() => expect(kept()).toHaveLength(2));
    cancel.abort();
    await expect(write).rejects.toThrow();
    expect(kept()).toEqual([first]);
  });

  it('sends kept writes also after one that is refused', async () => {
    const { stored, keepWrites, whenSent } = pageStorage();
    const place = await newDocument('after');
    stored.set('collaboration', JSON.stringify(['nowhere', 'after'].map(keptWrite)));
    const reported = vi.spyOn(console, 'error').mockReturnValue();
    createClient({ url: server.url, token: await tokenOf(), keepWrites });
    await whenSent();
    expect(reported).toHaveBeenCalledTimes(1);
    expect(await commentsOf(place)).toHaveLength(1);
  });

  it('sends a write that waits under no other user, after its client was closed', async () => {
    const { keepWrites, kept, whenSent } = pageStorage();
    const place = await newDocument('closed');
    const ofAda = await tokenOf();
    const getToken = vi.fn().mockRejectedValue(new Error('No network.'));
    getToken.mockResolvedValueOnce(ofAda);
    let isAway = true;
    const browser = createClient({
      ...{ url: server.url, token: getToken, keepWrites },
      fetch: async (input, init) => {
        if (isAway && String(input).endsWith('.add')) throw new TypeError('fetch failed');
        return fetch(input, init);
      },
    });
    const { createThread } = threadActions(browser, place);
    const texts = ['First', 'Second'];
    const added = texts.map((text) => failureOf(createThread({ text })));
    await eventually(() => expect(kept()).toHaveLength(2));
    browser.close();
    transportOf(browser).discardToken('TOKEN_EXPIRED', ofAda);
    getToken.mockResolvedValue(await tokenOf('eve'));
    isAway = false;
    const { message } = (await Promise.all(added))[1] as CollaborationError;
    expect(message).toBe('The client was closed before the server could be reached.');
    expect(await commentsOf(place)).toEqual([]);

    createClient({ url: server.url, token: ofAda, keepWrites });
    await whenSent();
    expect(await commentsOf(place)).toEqual(texts.map((text) => ['ada', text]));
  });

  it('lets a write wait for the server on a page that has no connection open', async () => {
    let attempts = 0;
    const browser = createClient({
      ...{ url: server.url, token: await tokenOf(), retries: 1 },
      fetch: async (input, init) => {
        if (++attempts <= 3) throw new TypeError('fetch failed');
        return fetch(input, init);
      },
    });
    whenTestEnds(() => browser.close());
    const config = { inbox: 'MINE' as const };
    const place = { organizationId: 'acme', userId: 'ada' };
    await browser.notifications.config.set({ ...place, config });
    expect(attempts).toBe(4);
  });

  it('makes a call again that a dead connection has swallowed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const token = await tokenOf();
    const send = vi.fn<typeof fetch>(fetch).mockImplementationOnce(
      (_input, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
        }),
    );
    const browser = createClient({ url: server.url, token, fetch: send });
    const names = namesOf(browser, 'ada');
    await vi.advanceTimersByTimeAsync(74_000);
    expect(send).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await names).toEqual(['ada']);
  });

  it('that the app cannot give lets writes wait, and each takes effect once', async () => {
    const getToken = vi.fn().mockRejectedValue(new Error('No network.'));
    const browser = createClient({ url: server.url, token: getToken, retries: 0 });
    whenTestEnds(() => browser.close());
    const place = await newDocument('waits');
    const added = browser.commentAnnotations.add({ ...place, ...WAITED });
    await eventually(() => expect(getToken).toHaveBeenCalledTimes(2));
    getToken.mockResolvedValue(await tokenOf());
    browser.connection.retry();
    await added;
    expect(await commentsOf(place)).toEqual([['ada', 'Waited']]);
  });

  it('sends a write once while the browser is offline, and again when it is online', async () => {
    const browserEvents = Object.assign(new EventTarget(), { visibilityState: 'visible' });
    const navigator = { onLine: false };
    vi.stubGlobal('document', browserEvents);
    vi.stubGlobal('addEventListener', browserEvents.addEventListener.bind(browserEvents));
    vi.stubGlobal('navigator', navigator);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const token = await tokenOf();
    const send = vi.fn<typeof fetch>(async (input, init) => {
      if (!navigator.onLine) throw new TypeError('Failed to fetch');
      return fetch(input, init);
    });
    const browser = createClient({ url: server.url, token, fetch: send });
    whenTestEnds(() => browser.close());
    const place = await newDocument('offline');
    const added = browser.commentAnnotations.add({ ...place, ...WAITED });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(send).toHaveBeenCalledTimes(1);
    navigator.onLine = true;
    browserEvents.dispatchEvent(new Event('online'));
    await added;
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('that is refused twice is not requested a third time, also if it was another one', async () => {
    const [first, second] = [await expiredToken(), await expiredToken('bea')];
    const getToken = vi.fn().mockResolvedValueOnce(first).mockResolvedValue(second);
    const browser = createClient({ url: server.url, token: getToken });
    const error = await failureOf(namesOf(browser, 'ada'));
    expect(error.reason).toBe('TOKEN_EXPIRED');
    expect(getToken).toHaveBeenCalledTimes(2);
  });
});
