import { QueryClient } from '@tanstack/query-core';
import { expect, it, vi } from 'vitest';
import { connectThreadStore } from '../../src/client/blocknote.ts';
import { collaborationOf } from '../../src/client/core/collaboration.ts';
import {
  changesOf,
  logicalTime,
  receiveChange,
  store,
} from '../../src/client/core/thread-cache.ts';
import {
  type Live,
  liveMembers,
  liveNotificationSettings,
  livePresence,
  liveSelf,
  liveThreads,
  liveUsers,
  threadActions,
} from '../../src/client/core.ts';
import { type ClientOptions, createClient } from '../../src/client/index.ts';
import { liveInScope, markReadInScope } from '../../src/client/scope.ts';
import { createServerClient } from '../../src/client/server.ts';
import { eventually } from '../support/eventually.ts';
import { createNetwork } from '../support/network.ts';
import { serverProcess } from '../support/processes.ts';
import { createDatabase } from '../support/server.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

const place = { organizationId: 'acme', documentId: 'plan' };
// A process of its own, since some tests hold the timers of this one.
const server = await serverProcess({ DATABASE_URL: await createDatabase() });
await server.start();
const { 'x-svc-api-key': apiKey = '', 'x-svc-auth-token': authToken = '' } =
  await server.keyHeaders();
const app = createServerClient({ url: server.url, apiKey, authToken });
await app.documents.add({
  ...{ organizationId: 'acme', createOrganization: true },
  documents: [{ documentId: 'plan' }],
});
const resources = [{ type: 'organization' as const, id: 'acme' }];
const { token } = await app.auth.generateToken({ userId: 'ada', permissions: { resources } });

type Options = Partial<Pick<ClientOptions, 'url' | 'retries' | 'fetch' | 'WebSocket'>>;

function newClient(options: Options = {}) {
  const client = createClient({ url: server.url, token, ...options });
  whenTestEnds(() => client.close());
  return client;
}

/** A client, and how often it has called an operation. */
function countingClient(operation: string, options: Options = {}) {
  const calls = { count: 0 };
  const client = newClient({
    ...options,
    fetch: (input, init) => {
      // One request may carry several calls.
      calls.count += String(input).split(operation).length - 1;
      return fetch(input, init);
    },
  });
  return { client, calls };
}

/** Follows a live value until the test ends. */
function follow<Value>(live: Live<Value>): Live<Value> {
  whenTestEnds(live.subscribe(() => {}));
  return live;
}

/** Adds a document with this many threads. */
async function newDocument(documentId: string, threads = 0) {
  const document = { organizationId: 'acme', documentId };
  await app.documents.add({ organizationId: 'acme', documents: [{ documentId }] });
  if (threads > 0) await addThreads(document, threads);
  return document;
}

const addThreads = (document: typeof place, count = 1) => {
  const one = { commentData: [{ commentText: 'One', from: { userId: 'ada' } }] };
  return app.commentAnnotations.add({ ...document, commentAnnotations: Array(count).fill(one) });
};

it('a client reads members and users once while sockets cannot reach the server, and again when they can', async () => {
  const proxy = await createNetwork(server.url);
  const { client, calls } = countingClient('users.get', { url: proxy.url });
  follow(liveThreads(client, place));
  await eventually(() => expect(client.connection.status).toBe('connected'));
  proxy.cut();
  await eventually(() => expect(client.connection.status).toBe('offline'));
  calls.count = 0;
  const users = liveUsers(client, { ...place, userIds: ['ada'] });
  const people = [follow(liveMembers(client, place)), follow(users)];
  await eventually(() => expect(calls.count).toBe(2));
  const { refused } = proxy;
  await eventually(() => expect(proxy.refused).toBeGreaterThan(refused + 8));
  expect(calls.count).toBe(2);
  for (const live of people) expect(live.get()).toMatchObject({ isLoading: true, error: null });
  proxy.mend();
  for (const live of people) await eventually(() => expect(live.get().users).toHaveLength(1));
  expect(calls.count).toBe(4);
});

it('a client announces the user once, however many parts of the page show who is present', async () => {
  const { client, calls } = countingClient('presence.update');
  const show = async (status?: string) => {
    const presence = follow(livePresence(client, { ...place, status }));
    await eventually(() => expect(presence.get().self?.status).toBe(status ?? 'online'));
  };
  await Promise.all([show(), show(), show()]);
  expect(calls.count).toBe(1);
  await show('away');
  expect(calls.count).toBe(2);
});

it('a client marks a notification as read on a page without a document, and as unread again when the server refuses', async () => {
  let refused: Promise<Response> | undefined;
  const client = newClient({
    fetch: (input, init) =>
      String(input).endsWith('notifications.update') && refused ? refused : fetch(input, init),
  });
  const scope = { client, organizationId: place.organizationId };
  const inbox = follow(liveInScope.inbox(scope, {}));
  const isRead = (notificationId: string) =>
    inbox.get().notifications.find(({ id }) => id === notificationId)?.isRead;
  /** Notifies Ada, who marks it as read. */
  const mark = async (notificationId: string) => {
    await app.notifications.add({
      ...{ ...place, notificationId, actionUser: { userId: 'ada' } },
      notifyUsers: [{ userId: 'ada' }],
      ...{ displayHeadlineMessageTemplate: 'News', displayBodyMessage: 'Read me' },
    });
    await eventually(() => expect(isRead(notificationId)).toBe(false));
    const marked = markReadInScope(scope)({ notificationIds: [notificationId] });
    await eventually(() => expect(isRead(notificationId)).toBe(true));
    return { marked };
  };
  await (await mark('stored')).marked;
  const { promise, resolve } = Promise.withResolvers<Response>();
  refused = promise;
  const { marked } = await mark('refused');
  resolve(new Response('No', { status: 403 }));
  await expect(marked).rejects.toMatchObject({ httpStatus: 403 });
  await eventually(() => expect(isRead('refused')).toBe(false));
});

it('a client reads all users that are named at one moment, however many', async () => {
  const users = Array.from({ length: 65 }, (_, at) => ({ userId: `user-${at}` }));
  await app.organizations.add({ organizations: [{ organizationId: 'crowd' }] });
  await app.users.add({ organizationId: 'crowd', users: [...users, { userId: 'ada' }] });
  const userIds = users.map(({ userId }) => userId);
  const named = follow(liveUsers(newClient(), { organizationId: 'crowd', userIds }));
  await eventually(() => expect(named.get().isLoading).toBe(false));
  expect(named.get()).toMatchObject({ users: userIds.map((userId) => ({ userId })), error: null });
});

it('a client knows the name of its user although the first attempts fail', async () => {
  await app.users.update({ organizationId: 'acme', users: [{ userId: 'ada', name: 'Ada' }] });
  const failing = [503, 503];
  const client = newClient({
    retries: 0,
    fetch: async (input, init) => {
      const status = failing.shift();
      return status ? new Response('Restarting', { status }) : fetch(input, init);
    },
  });
  const self = follow(liveSelf(client, place));
  await eventually(() => expect(self.get()).toMatchObject({ userId: 'ada', name: 'Ada' }));
});

it('a client keeps the connection for other subscribers when one unsubscribes twice', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
  const client = newClient();
  const end = liveThreads(client, place).subscribe(() => {});
  follow(liveThreads(client, place));
  await eventually(() => expect(client.connection.status).toBe('connected'));
  end();
  end();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(client.connection.status).toBe('connected');
});

it('a live value receives changes again after a pause of any length', async () => {
  const document = await newDocument('paused');
  const client = newClient();
  const threads = liveThreads(client, document);
  const end = threads.subscribe(() => {});
  await eventually(() => expect(threads.get().isLoading).toBe(false));
  end();
  // A browser's cache forgets after five minutes what nobody uses.
  collaborationOf(client).cache.clear();
  follow(threads);
  for (const shown of [1, 2]) {
    await addThreads(document);
    await eventually(() => expect(threads.get().threads).toHaveLength(shown));
  }
});

it('a client fetches more after a read that is running', async () => {
  const document = await newDocument('long', 3);
  let held: Promise<void> | undefined;
  const client = newClient({
    fetch: async (input, init) => {
      await held;
      return fetch(input, init);
    },
  });
  const threads = follow(liveThreads(client, { ...document, pageSize: 2 }));
  await eventually(() => expect(client.connection.status).toBe('connected'));
  await eventually(() => expect(threads.get().hasMore).toBe(true));
  const { promise, resolve: release } = Promise.withResolvers<void>();
  held = promise;
  void collaborationOf(client).cache.refetchQueries({ queryKey: ['threads'] });
  threads.get().fetchMore();
  release();
  await eventually(() => expect(threads.get().threads).toHaveLength(3));
});

it('a client shows every setting that is being saved', async () => {
  const settings = follow(liveNotificationSettings(newClient(), place));
  await eventually(() => expect(settings.get().settings).toEqual({ inbox: 'ALL', email: 'ALL' }));
  const shown: unknown[] = [];
  whenTestEnds(settings.subscribe((now) => shown.push(now.settings)));
  settings.get().update({ inbox: 'NONE' });
  settings.get().update({ email: 'MINE' });
  await eventually(() => expect(settings.get().isSaving).toBe(false));
  const changed = { inbox: 'NONE', email: 'MINE' };
  await eventually(() => expect(settings.get().settings).toEqual(changed));
  expect(shown.slice(shown.findIndex((each) => each !== shown[0]))).not.toContainEqual({
    inbox: 'ALL',
    email: 'MINE',
  });
});

it('a client receives changes again once access that ended is given back', async () => {
  const document = { organizationId: 'acme', documentId: 'closed' };
  const documents = [{ documentId: 'closed', accessType: 'restricted' as const }];
  await app.documents.add({ organizationId: 'acme', documents });
  const resource = { type: 'document' as const, id: 'closed', organizationId: 'acme' };
  const grant = { user: { userId: 'ada' }, permissions: { resources: [resource] } };
  await app.permissions.add(grant);
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
  const threads = follow(liveThreads(newClient(), document));
  await eventually(() => expect(threads.get().isLoading).toBe(false));
  await app.permissions.remove(grant);
  await eventually(() =>
    expect(threads.get().error).toMatchObject({ status: 'PERMISSION_DENIED' }),
  );
  await app.permissions.add(grant);
  await addThreads(document);
  await vi.advanceTimersByTimeAsync(40_000);
  // The subscription brings the change, and the read that follows ends the error.
  await eventually(() => expect(threads.get()).toMatchObject({ threads: [{}], error: null }));
});

it('a list of one author, and one of mentions, follow changes without another read', async () => {
  const { client, calls } = countingClient('commentAnnotations.get');
  const document = await newDocument('filtered');
  const byBea = follow(liveThreads(client, { ...document, userIds: ['bea'] }));
  const toBea = follow(liveThreads(client, { ...document, mentionedUserIds: ['bea'] }));
  const add = (commentText: string, from: string, mentioned: string[] = []) => {
    const taggedUserContacts = mentioned.map((userId) => ({ userId }));
    const commentData = [{ commentText, from: { userId: from }, taggedUserContacts }];
    return app.commentAnnotations.add({ ...document, commentAnnotations: [{ commentData }] });
  };
  const texts = () =>
    [byBea, toBea].map((live) => live.get().threads.map((each) => each.comments[0]?.commentText));
  // Both lists are read at first, and again when the subscription has begun.
  await eventually(() => expect(client.connection.status).toBe('connected'));
  await add('First', 'bea', ['bea']);
  await eventually(() => expect(texts()).toEqual([['First'], ['First']]));
  await eventually(() => expect(collaborationOf(client).cache.isFetching()).toBe(0));
  const before = calls.count;
  await add('Of nobody', 'ada');
  await add('By Bea', 'bea');
  await add('To Bea', 'ada', ['bea']);
  await eventually(() =>
    expect(texts()).toEqual([
      ['By Bea', 'First'],
      ['To Bea', 'First'],
    ]),
  );
  const [thread] = toBea.get().threads;
  const commentData = [{ commentId: 1, commentText: 'Nobody', taggedUserContacts: [] }];
  await app.comments.update({ ...document, annotationId: thread?.annotationId ?? '', commentData });
  await eventually(() => expect(texts()[1]).toEqual(['First']));
  const { data } = await app.commentAnnotations.get({ ...document, mentionedUserIds: ['bea'] });
  expect(data).toHaveLength(1);
  expect(calls.count).toBe(before);
});

it('a client makes two threads when one input is given twice', async () => {
  const { createThread } = threadActions(newClient(), place);
  const input = { text: 'Looks good' };
  const ids = await Promise.all([createThread(input), createThread(input)]);
  expect(new Set(ids).size).toBe(2);
});

it('a client brings no thread back by a read that began before its deletion', async () => {
  const [annotationId = ''] = Object.keys(await addThreads(place));
  const cache = new QueryClient();
  const at = logicalTime();
  const { data } = await app.commentAnnotations.get({ ...place, annotationIds: [annotationId] });
  const deletion = { type: 'comment_annotation.delete', data: { annotationId } };
  receiveChange({ cache, documentRef: place }, deletion as Parameters<typeof receiveChange>[1]);
  store({ cache, documentRef: place }, annotationId, { at, thread: data[0] ?? undefined });
  expect(changesOf({ cache, documentRef: place }).received.get(annotationId)).toMatchObject({
    thread: undefined,
  });
});

/** A client that loses the server with the answer to a write, before the event of the write arrives. */
async function clientBeforeOutage(operation: string) {
  const network = await createNetwork(server.url);
  const failed = { reads: 0 };
  const client = newClient({
    url: network.url,
    retries: 0,
    fetch: async (input, init) => {
      const response = await fetch(input, init).catch((error) => {
        failed.reads++;
        throw error;
      });
      if (!String(input).includes(operation)) return response;
      const body = await response.text();
      network.cut();
      return new Response(body, response);
    },
  });
  return { client, network, failed };
}

it('a client shows a reply that the server has stored, also while the server is away afterwards', async () => {
  const document = await newDocument('away', 1);
  const { client, network, failed } = await clientBeforeOutage('comments.add');
  const live = follow(liveThreads(client, document));
  await eventually(() => expect(live.get().threads).toHaveLength(1));
  const texts = () => live.get().threads[0]?.comments.map(({ commentText }) => commentText);
  const annotationId = live.get().threads[0]?.annotationId ?? '';
  await threadActions(client, document).reply({ annotationId, text: 'Two' });
  await eventually(() => expect(failed.reads).toBeGreaterThan(0));
  expect(texts()).toEqual(['One', 'Two']);
  network.mend();
  await eventually(() => expect(client.connection.status).toBe('connected'));
  await eventually(() => expect(texts()).toEqual(['One', 'Two']));
});

it('a thread of BlockNote that the server has stored is created once, also if the server is away afterwards', async () => {
  const document = await newDocument('away-with-blocks');
  const { client, network, failed } = await clientBeforeOutage('commentAnnotations.add');
  const threads = await connectThreadStore(client, document);
  whenTestEnds(() => threads.destroy());
  const body = [{ type: 'paragraph', content: [{ type: 'text', text: 'One' }] }];
  const created = threads.createThread({ initialComment: { body } });
  await eventually(() => expect(failed.reads).toBeGreaterThan(0));
  network.mend();
  expect((await created).comments).toHaveLength(1);
});
