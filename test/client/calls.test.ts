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

function expiredToken(): Promise<string> {
  const { secrets, clock } = server.app.services;
  const longAgo = { now: () => clock.now() - 49 * 60 * 60_000 };
  return signUserToken(secrets, longAgo, {
    tenantId: server.quickstart.apiKey,
    userId: 'ada',
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
  return { stored, keepWrites };
}

describe('a user token', () => {
  const user = {
    userId: 'ada',
    permissions: { resources: [{ type: 'organization' as const, id: 'acme' }] },
  };

  it('comes from the handler of the app, which refuses strangers', async () => {
    const handler = tokenHandler(client, (request) =>
      request.headers.has('cookie') ? user : undefined,
    );
    const address = 'https://app.example.com/token';
    expect((await handler(new Request(address))).status).toBe(401);
    const answer = await handler(new Request(address, { headers: { cookie: 'session' } }));
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const browser = createClient({ url: server.url, token: () => answer.json() });
    expect(await namesOf(browser, 'ada')).toEqual(['ada']);
  });

  it('is refused for a while by the handler of the app while the server is away, and fails with its reason otherwise', async () => {
    const request = new Request('https://app.example.com/token');
    // Nothing listens at port 9. An exception would end an app that does not expect it.
    const away = createServerClient({
      ...server.quickstart,
      url: 'http://127.0.0.1:9',
      retries: 0,
    });
    const answer = await tokenHandler(away, () => user)(request);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toBe('The server cannot be reached.');
    const wrong = createServerClient({ ...server.quickstart, authToken: 'of nobody' });
    await expect(tokenHandler(wrong, () => user)(request)).rejects.toMatchObject({
      status: 'PERMISSION_DENIED',
    });
  });

  it('is requested once for all calls of a moment, and again when it has expired', async () => {
    const expired = await expiredToken();
    const { token: fresh } = await client.auth.generateToken(user);
    const getToken = vi.fn().mockResolvedValueOnce(expired).mockResolvedValue(fresh);
    const browser = createClient({ url: server.url, token: getToken });
    const calls = ['ada', 'bea', 'ada'].map((userId) => namesOf(browser, userId));
    expect(await Promise.all(calls)).toEqual([['ada'], [], ['ada']]);
    expect(getToken).toHaveBeenCalledTimes(2);
  });

  it.each(['call', 'answer'])(
    'sends a write whose %s was lost with its page, once',
    async (lost) => {
      const { stored, keepWrites } = pageStorage();
      const { token } = await client.auth.generateToken(user);
      const { token: ofAnother } = await client.auth.generateToken({ ...user, userId: 'eve' });
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
      const commentAnnotations = [{ commentData: [{ commentText: 'Kept' }] }];
      lastPage.commentAnnotations.add({ ...place, commentAnnotations }).catch(() => {});
      await arrived.promise;
      const comments = async () =>
        (await client.commentAnnotations.get(place)).data.flatMap((each) => each?.comments ?? []);

      // Somebody else signs in on the page, then the author.
      createClient({ url: server.url, token: ofAnother, keepWrites });
      createClient({ url: server.url, token, keepWrites });
      await eventually(() => expect([...stored.values()]).toEqual(['[]']));
      expect(await comments()).toMatchObject([{ commentText: 'Kept', from: { userId: 'ada' } }]);
    },
  );

  it('sends all writes to a document that waited when their page was lost, in their order, before new ones', async () => {
    const { stored, keepWrites } = pageStorage();
    const { token } = await client.auth.generateToken(user);
    const sent: string[] = [];
    const lastPage = createClient({
      ...{ url: server.url, token, keepWrites },
      fetch: async (input, init) => {
        if (!String(input).endsWith('commentAnnotations.add')) return fetch(input, init);
        sent.push(String(input));
        return new Promise(() => {});
      },
    });
    await client.documents.add({ organizationId: 'acme', documents: [{ documentId: 'queue' }] });
    const place = { organizationId: 'acme', documentId: 'queue' };
    const { createThread } = threadActions(lastPage, place);
    const texts = ['First', 'Second', 'Third'];
    for (const text of texts) createThread({ text }).catch(() => {});
    const kept = () => JSON.parse(stored.get('collaboration') ?? '[]');
    await eventually(() => expect(kept()).toHaveLength(3));
    expect(sent).toHaveLength(1);

    const nextPage = createClient({ url: server.url, token, keepWrites });
    await threadActions(nextPage, place).createThread({ text: 'Fourth' });
    await eventually(() => expect(kept()).toEqual([]));
    const { data } = await client.commentAnnotations.get({ ...place, order: 'asc' });
    const sentTexts = data.map((each) => each?.comments[0]?.commentText);
    expect(sentTexts).toEqual([...texts, 'Fourth']);
  });

  it('cancels a write that waits for those of the last page, and keeps it no longer', async () => {
    const { stored, keepWrites } = pageStorage();
    const { token } = await client.auth.generateToken(user);
    const place = { organizationId: 'acme', documentId: 'cancelled' };
    const input = { ...place, commentAnnotations: [{ commentData: [{ commentText: 'Kept' }] }] };
    const path = 'commentAnnotations.add';
    const kept = { path, input, idempotencyKey: 'cancelled', userId: 'ada', at: Date.now() };
    stored.set('collaboration', JSON.stringify([kept]));
    const hangs = () => new Promise<Response>(() => {});
    const nextPage = createClient({ url: server.url, token, keepWrites, fetch: hangs });
    const cancel = new AbortController();
    const write = nextPage.commentAnnotations.add(input, { signal: cancel.signal });
    await eventually(() => expect(stored.get('collaboration')).toContain('},{'));
    cancel.abort();
    await expect(write).rejects.toThrow();
    expect(JSON.parse(stored.get('collaboration') ?? '')).toEqual([kept]);
  });

  it('sends kept writes also after one that is refused', async () => {
    const { stored, keepWrites } = pageStorage();
    await client.documents.add({ organizationId: 'acme', documents: [{ documentId: 'after' }] });
    const kept = ['nowhere', 'after'].map((documentId) => ({
      path: 'commentAnnotations.add',
      input: {
        ...{ organizationId: 'acme', documentId },
        commentAnnotations: [{ commentData: [{ commentText: 'Kept' }] }],
      },
      ...{ idempotencyKey: documentId, userId: 'ada', at: Date.now() },
    }));
    stored.set('collaboration', JSON.stringify(kept));
    const reported = vi.spyOn(console, 'error').mockReturnValue();
    const { token } = await client.auth.generateToken(user);
    createClient({ url: server.url, token, keepWrites });
    await eventually(() => expect([...stored.values()]).toEqual(['[]']));
    expect(reported).toHaveBeenCalledTimes(1);
    const place = { organizationId: 'acme', documentId: 'after' };
    expect((await client.commentAnnotations.get(place)).data).toHaveLength(1);
  });

  it('sends a write that waits under no other user, after its client was closed', async () => {
    const { stored, keepWrites } = pageStorage();
    const place = { organizationId: 'acme', documentId: 'closed' };
    await client.documents.add({ organizationId: 'acme', documents: [{ documentId: 'closed' }] });
    const { token: ofAda } = await client.auth.generateToken(user);
    const { token: ofEve } = await client.auth.generateToken({ ...user, userId: 'eve' });
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
    const kept = () => JSON.parse(stored.get('collaboration') ?? '[]');
    await eventually(() => expect(kept()).toHaveLength(2));
    browser.close();
    transportOf(browser).discardToken('TOKEN_EXPIRED', ofAda);
    getToken.mockResolvedValue(ofEve);
    isAway = false;
    const { message } = (await Promise.all(added))[1] as CollaborationError;
    expect(message).toBe('The client was closed before the server could be reached.');
    expect((await client.commentAnnotations.get(place)).data).toEqual([]);

    createClient({ url: server.url, token: ofAda, keepWrites });
    await eventually(() => expect([...stored.values()]).toEqual(['[]']));
    const { data } = await client.commentAnnotations.get({ ...place, order: 'asc' });
    expect(data.map((each) => [each?.from.userId, each?.comments[0]?.commentText])).toEqual(
      texts.map((text) => ['ada', text]),
    );
  });

  it('lets a write wait for the server on a page that has no connection open', async () => {
    const { token } = await client.auth.generateToken(user);
    let attempts = 0;
    const browser = createClient({
      ...{ url: server.url, token, retries: 1 },
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
    const { token } = await client.auth.generateToken(user);
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
    const { token } = await client.auth.generateToken(user);
    const getToken = vi.fn().mockRejectedValue(new Error('No network.'));
    const browser = createClient({ url: server.url, token: getToken, retries: 0 });
    whenTestEnds(() => browser.close());
    const place = { organizationId: 'acme', documentId: 'waits' };
    await client.documents.add({ organizationId: 'acme', documents: [{ documentId: 'waits' }] });
    const commentAnnotations = [{ commentData: [{ commentText: 'Waited' }] }];
    const added = browser.commentAnnotations.add({ ...place, commentAnnotations });
    await eventually(() => expect(getToken).toHaveBeenCalledTimes(2));
    getToken.mockResolvedValue(token);
    browser.connection.retry();
    await added;
    const { data } = await client.commentAnnotations.get(place);
    const texts = data.flatMap((each) => each?.comments ?? []).map((each) => each.commentText);
    expect(texts).toEqual(['Waited']);
  });

  it('sends a write once while the browser is offline, and again when it is online', async () => {
    const browserEvents = Object.assign(new EventTarget(), { visibilityState: 'visible' });
    const navigator = { onLine: false };
    vi.stubGlobal('document', browserEvents);
    vi.stubGlobal('addEventListener', browserEvents.addEventListener.bind(browserEvents));
    vi.stubGlobal('navigator', navigator);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { token } = await client.auth.generateToken(user);
    const send = vi.fn<typeof fetch>(async (input, init) => {
      if (!navigator.onLine) throw new TypeError('Failed to fetch');
      return fetch(input, init);
    });
    const browser = createClient({ url: server.url, token, fetch: send });
    whenTestEnds(() => browser.close());
    await client.documents.add({ organizationId: 'acme', documents: [{ documentId: 'offline' }] });
    const place = { organizationId: 'acme', documentId: 'offline' };
    const commentAnnotations = [{ commentData: [{ commentText: 'Waited' }] }];
    const added = browser.commentAnnotations.add({ ...place, commentAnnotations });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(send).toHaveBeenCalledTimes(1);
    navigator.onLine = true;
    browserEvents.dispatchEvent(new Event('online'));
    await added;
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('that expires twice is not requested a third time', async () => {
    const getToken = vi.fn().mockResolvedValue(await expiredToken());
    const browser = createClient({ url: server.url, token: getToken });
    const error = await failureOf(namesOf(browser, 'ada'));
    expect(error.reason).toBe('TOKEN_EXPIRED');
    expect(getToken).toHaveBeenCalledTimes(2);
  });
});
