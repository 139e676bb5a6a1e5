import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { importVelt } from '../../src/cli/import-velt/import-velt.ts';
import { createServerClient } from '../../src/client/server.ts';
import type { Loose } from '../support/answers.ts';
import { listen } from '../support/listen.ts';
import { runInProcess } from '../support/run-command.ts';
import { createTenant, startTestServer } from '../support/server.ts';

const GHOST = 'ghost';
/** Longer than an id may be. */
const LONG = 'x'.repeat(257);

/**
 * A server of ours that plays the hosted service: with small pages, tokens under the other name, times
 * in both forms, a listed document that fails every call naming it (in both ways), and calls that are refused or cut.
 */
async function hostedService(target: string) {
  const state = { count: 0, stopAt: Number.POSITIVE_INFINITY };
  const server = createServer((request, response) => {
    state.count += 1;
    if (state.count >= state.stopAt) return deny(response);
    if (state.count % 41 === 0) return request.socket.destroy();
    if (state.count % 29 === 0) return refuse(response);
    forward(request, response).catch(() => response.destroy());
  });
  async function forward(request: IncomingMessage, response: ServerResponse) {
    const path = request.url ?? '';
    const { data } = JSON.parse(await text(request));
    if (JSON.stringify(data).includes(`"${GHOST}"`)) {
      // Only 500 is retried, which takes time.
      return path.includes('annotations') ? fail(response) : notFound(response);
    }
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

function disguise(path: string, input: Loose, result: Loose): Loose {
  const { nextPageToken, pageToken, data, ...rest } = result;
  const isLast = nextPageToken === undefined && pageToken === undefined;
  if (path.endsWith('/documents/get') && isLast && !input.folderId) data.push({ id: GHOST });
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
const notFound = (response: ServerResponse) => send(response, 404, {});
const deny = (response: ServerResponse) => send(response, 403, { error: { message: 'Denied.' } });

const THEN = Date.UTC(2025, 2, 1, 9);
const organizationId = 'acme';
const place = { organizationId, documentId: 'plan' };
const ada = { userId: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' };
const grace = { userId: 'grace', name: 'Grace Hopper' };
/** The user whose notifications about a document have a setting. */
const inA = { organizationId, documentIds: ['a'], userId: 'ada' };
const FILE = 'the file of a recording';

type Client = ReturnType<typeof createServerClient>;
const server = await startTestServer({ VELT_HEADERS: 'true' });
const files = await listen(
  createServer((_request, response) => {
    const headers = { 'content-type': 'video/mp4', 'content-length': FILE.length };
    response.writeHead(200, headers).end(FILE);
  }),
);
const hostedClient = createServerClient(server.quickstart);
const source = () => contentOf(hostedClient);

const keepActivities = (client: Client) =>
  client.activityConfig.update({ activityServiceConfig: { isEnabled: true, triggers: {} } });

/** The data that the hosted service has. */
async function fill(client: Client): Promise<void> {
  await keepActivities(client);
  await client.organizations.add({
    organizations: [
      { organizationId, organizationName: 'Acme', branch: 'north' },
      { organizationId: 'empty' },
    ],
  });
  await client.users.add({
    organizationId,
    users: [
      { ...ada, team: 'red' },
      { ...grace, accessRole: 'viewer' },
    ],
  });
  await client.folders.add({
    organizationId,
    folders: [
      { folderId: 'top', accessType: 'organizationPrivate' },
      { folderId: 'below', parentFolderId: 'top' },
    ],
  });
  const documents = [{ documentId: 'plan' }];
  await client.documents.add({ organizationId, folderId: 'below', documents });
  const accessType = 'restricted' as const;
  const others = ['a', 'b', 'c'].map((documentId) => ({ documentId, accessType }));
  await client.documents.add({ organizationId, documents: others });
  await client.users.add({
    organizationId,
    documentId: 'a',
    users: [{ userId: 'alan', accessRole: 'viewer' }],
  });
  const expiresAt = Math.floor(Date.now() / 1000) + 86_400;
  const context = { access: { team: ['red'] } };
  for (const [userId, resource] of [
    ['alan', { type: 'document', id: 'b', organizationId, expiresAt }],
    ['limited', { type: 'organization', id: organizationId, context }],
  ] as const) {
    await client.permissions.add({ user: { userId }, permissions: { resources: [resource] } });
  }
  await client.users.add({ organizationId, users: [{ userId: 'limited', name: 'Lim' }] });
  const commentAnnotations = Array.from({ length: 5 }, (_, n) => ({
    annotationId: `t${n}`,
    createdAt: THEN + n,
    status: { id: 'RESOLVED' },
    resolvedByUserId: 'grace',
    metadata: { sdk: '4' },
    commentData: [
      { commentId: 1, from: ada, commentText: `Shorter ${n}?`, createdAt: THEN + n },
      {
        commentId: 2,
        from: grace,
        commentText: 'Yes',
        createdAt: THEN + 50,
        taggedUserContacts: [ada],
        attachments: [{ name: 'a.mp4', url: `${files}/a.mp4?secret=1` }],
      },
    ],
    reactions: [{ commentId: 2, icon: '👍', from: ada, lastUpdated: THEN + 60 }],
  }));
  await client.commentAnnotations.add({ ...place, commentAnnotations });
  await client.commentAnnotations.add({
    ...place,
    documentId: 'c',
    commentAnnotations: [{ annotationId: 'other', commentData: [{ from: ada }] }],
  });
  await client.commentAnnotations.unsubscribe({ ...place, annotationId: 't0', userId: 'ada' });
  await client.commentAnnotations.subscribe({ ...place, annotationId: 't1', userId: 'alan' });
  for (const notificationId of ['n1', 'n2', 'n3']) {
    await client.notifications.add({
      ...place,
      notificationId,
      actionUser: ada,
      notifyUsers: [grace],
      displayHeadlineMessageTemplate: '{actionUser} set {task}',
      displayHeadlineMessageTemplateData: { task: 'the date' },
      displayBodyMessage: 'Friday',
      timestamp: THEN,
    });
  }
  const config = { email: 'NONE' as const };
  await client.notifications.config.set({ organizationId, userId: 'grace', config });
  await client.notifications.config.set({ ...inA, config: { inbox: 'NONE' } });
  await client.recordings.add({
    ...place,
    recordings: [
      // The percent sign of this name is not encoded.
      { recordingId: 'r1', url: `${files}/50% r1.mp4`, from: ada, createdAt: THEN, mine: 1 },
    ],
  });
  await client.activities.add({
    ...place,
    activities: [
      { activityId: 'a1', featureType: 'invoice', actionType: 'invoice.pay', timestamp: THEN },
    ],
  });
  await client.crdt.add({ ...place, editorId: 'body', type: 'text', data: 'We launch in May.' });
  const data = '<paragraph>Hello</paragraph>';
  await client.crdt.add({ ...place, editorId: 'rich', type: 'xml', data });
  const judgment = { decision: 'approved' as const, createdAt: THEN };
  const judgments = ['one', 'two', 'three'].map((query) => ({ query, ...judgment }));
  await client.memory.judgments.add({ judgments });
}

await fill(hostedClient);

/** An import into a new API key, which keeps activities. */
async function newImport() {
  const headers = await createTenant(server);
  const key = {
    apiKey: headers['x-svc-api-key'] ?? '',
    authToken: headers['x-svc-auth-token'] ?? '',
  };
  const to = { ...key, url: server.url };
  const client = createServerClient(to);
  await keepActivities(client);
  const { apiKey, authToken } = server.quickstart;
  const hosted = await hostedService(server.url);
  const from = { url: hosted.url, apiKey, authToken };
  const run = (isDryRun = false, url = to.url) =>
    importVelt({ from, to: { ...to, url }, isDryRun, allowedNetworks: ['127.0.0.0/8'] });
  return { client, to, run, calls: hosted.state };
}

/** The server behind an address that refuses calls of some operations. */
async function serverWithout(operation: RegExp): Promise<string> {
  const http = createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    if (operation.test(url)) return deny(response);
    const { host, connection, 'content-length': _, ...headers } = request.headers;
    const body = method === 'POST' ? await text(request) : undefined;
    const answer = await fetch(server.url + url, { method, headers: headers as HeadersInit, body });
    const type = answer.headers.get('content-type') ?? '';
    response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
  });
  return listen(http);
}

/** All that the test compares, without what differs between keys. */
async function contentOf(client: Client) {
  const { data: threads } = await client.commentAnnotations.get({ ...place, order: 'asc' });
  const notifications = await client.notifications.get({ ...place, order: 'asc' });
  const { data: folders } = await client.folders.get({ organizationId, maxDepth: 3 });
  const contents = await client.crdt.get(place);
  const userIds = ['ada', 'grace'];
  return {
    organizations: (await client.organizations.get({})).data,
    folders,
    users: (await client.users.get({ organizationId })).data,
    inFolder: (await client.documents.get({ organizationId, folderId: 'below' })).data,
    documents: (await client.documents.get({ organizationId })).data.filter(
      ({ id }) => id !== GHOST,
    ),
    permissions: await client.permissions.get({
      organizationId,
      userIds: [...userIds, 'alan', 'limited'],
      documentIds: ['plan', 'a', 'b', 'c'],
    }),
    threads: threads.map((thread) => ({
      ...thread,
      metadata: thread?.metadata.sdk,
      comments: thread?.comments.map(({ attachments, reactionAnnotationIds, ...comment }) => ({
        ...comment,
        reactionAnnotations: comment.reactionAnnotations.map(({ annotationId, ...one }) => one),
      })),
    })),
    notifications: notifications.data.map(({ metadata, ...notification }) => notification),
    preferences: await client.notifications.config.get({ organizationId, userIds }),
    preferencesInA: await client.notifications.config.get(inA),
    recordings: (await client.recordings.get(place)).data.map(
      ({ metadata, attachmentId, ...one }) => one,
    ),
    activities: (await client.activities.get({ ...place, featureTypes: ['invoice'] })).data.map(
      ({ id, timestamp, actionType }) => ({ id, timestamp, actionType }),
    ),
    contents: contents.map(({ id, data, type }) => ({ id, data, type })),
    judgments: (await client.memory.judgments.query({})).data.results
      .map(({ query, decision, createdAt }) => ({ query, decision, createdAt }))
      .sort((a, b) => (a.query < b.query ? -1 : 1)),
  };
}

it('imports everything with its age after a dry run, names what it could not read, and a later run changes nothing that was changed here', async () => {
  const { client, run } = await newImport();
  const dry = await run(true);
  expect(dry.counts.annotations).toMatchObject({ found: 6, imported: 0 });
  expect(dry.counts.judgments).toMatchObject({ found: 3, imported: 0 });
  expect((await client.organizations.get({})).data).toEqual([]);

  const { counts, refusals, left } = await run();
  expect(await contentOf(client)).toEqual(await source());
  expect(counts).toMatchObject({
    organizations: { found: 2, imported: 2 },
    folders: { found: 2, imported: 2 },
    annotations: { found: 6, imported: 6 },
    comments: { imported: 11 },
    reactions: { imported: 5 },
    subscriptions: { imported: 2 },
    files: { found: 6, imported: 6 },
    judgments: { imported: 3 },
  });
  expect(refusals.length).toBeGreaterThan(0);
  expect(refusals.every(({ id }) => id === GHOST)).toBe(true);
  expect(left['annotation.targetElement (kept in metadata)']).toBe(6);
  const [recording] = (await client.recordings.get(place)).data;
  const attachmentId = String(recording?.attachmentId);
  const { url } = await client.attachments.get({ ...place, attachmentId });
  expect(await (await fetch(url)).text()).toBe(FILE);

  await client.users.add({
    organizationId,
    users: [
      { userId: 'ada', name: 'Ada King', accessRole: 'viewer' },
      { userId: 'limited', accessRole: 'viewer' },
    ],
  });
  const users = [{ userId: 'alan', accessRole: 'editor' as const }];
  await client.users.add({ organizationId, documentId: 'a', users });
  await client.users.add({ organizationId, documentId: 'b', users });
  const config = { email: 'MINE' as const };
  await client.notifications.config.set({ organizationId, userId: 'grace', config });
  await client.notifications.config.set({ ...inA, config });
  const t0 = { ...place, annotationId: 't0' };
  await client.commentAnnotations.subscribe({ ...t0, userId: 'ada' });
  await client.commentAnnotations.unsubscribe({ ...t0, annotationId: 't1', userId: 'alan' });
  const before = await contentOf(client);
  const again = await run();
  expect(await contentOf(client)).toEqual(before);
  expect(again.counts.users).toMatchObject({ imported: 0 });
  expect(again.counts.files).toBeUndefined();
  for (const [kind, found] of [
    ['annotations', 6],
    ['judgments', 3],
    ['subscriptions', 2],
    ['notification settings', 2],
  ] as const) {
    expect(again.counts[kind]).toMatchObject({ found, imported: 0, existing: found });
  }
});

it('may be stopped anywhere and repeated: it gives nobody more access meanwhile, adds nothing twice, and completes threads', async () => {
  const { client, run, calls } = await newImport();
  await expect(run(false, await serverWithout(/permissions\.add/))).rejects.toThrow('403');
  const { data } = await client.users.get({ organizationId });
  expect(data.map(({ userId }) => userId)).not.toContain('limited');
  await expect(run(false, await serverWithout(/ubscribe/))).rejects.toThrow('403');
  expect((await client.commentAnnotations.get(place)).data).not.toEqual([]);
  for (const more of [5, 40]) {
    calls.stopAt = calls.count + more;
    await expect(run()).rejects.toThrow('403');
    calls.stopAt = Number.POSITIVE_INFINITY;
  }
  await run();
  expect(await contentOf(client)).toEqual(await source());
});

it('refuses what has no id, no author or an id that is too long, imports the rest, and exits with 1', async () => {
  const { client, to } = await newImport();
  const attachments = [{ name: 'a.mp4', url: `${files}/a.mp4` }];
  const thread = {
    from: ada,
    metadata: { documentId: 'plan' },
    comments: [{ commentId: 1, from: ada, attachments }],
  };
  const recording = { url: `${files}/r.mp4`, from: ada };
  const rows: Record<string, object> = {
    '/v2/organizations/get': [{ id: LONG }, { id: 'acme' }],
    '/v2/organizations/documents/get': [{ id: LONG }, { id: 'plan' }],
    '/v2/commentannotations/get': [
      { ...thread, annotationId: LONG },
      { ...thread, annotationId: 'short' },
    ],
    '/v2/recordings/get': [
      { ...recording, id: LONG },
      { ...recording, id: 'r' },
      { url: recording.url, id: 'without an author' },
    ],
    '/v2/users/get': [{ name: 'Nobody' }],
  };
  const hosted = createServer((request, response) =>
    send(response, 200, { result: { data: rows[request.url ?? ''] ?? [] } }),
  );
  const target = ['--url', to.url, '--api-key', to.apiKey, '--auth-token', to.authToken];
  const from = ['--from', await listen(hosted), '--from-api-key', 'a', '--from-auth-token', 'b'];
  const { code, stdout } = await runInProcess(['import', 'velt', ...from, ...target, '--json'], {
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
  });
  expect(code).toBe(1);
  const { counts, refusals } = JSON.parse(stdout);
  const refused = { id: 'without an author', reason: 'It has no id or no author.' };
  expect(refusals).toContainEqual({ kind: 'recordings', ...refused });
  expect(counts.users).toMatchObject({ found: 2, refused: 2 });
  expect(counts.annotations).toMatchObject({ found: 4, imported: 1, refused: 3 });
  const { data } = await client.commentAnnotations.get(place);
  expect(data).toMatchObject([{ annotationId: 'short' }]);
  expect((await client.recordings.get(place)).data).toMatchObject([{ recordingId: 'r' }]);
});
