import { expect, it } from 'vitest';
import { userHeaders } from '../support/annotations.ts';
import { attachmentsOf } from '../support/attachments.ts';
import { startTestServer } from '../support/server.ts';

/**
 * How often calls wait for the database. Each wait is a write to a socket, a wake-up of PostgreSQL and
 * one of ours, which together are most of what a small call costs.
 */

const MANY = 100;
const FOLDER_DEPTH = 5;

const server = await startTestServer({ ROLES: 'api' });

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const ids = (prefix: string, count: number) => upTo(count).map((n) => `${prefix}-${n}`);
const users = (prefix: string, count: number, more: object = {}) =>
  ids(prefix, count).map((userId) => ({ userId, ...more }));

/** Chains of five nested folders. A single folder is at the root. */
const chains = (prefix: string, count: number) =>
  upTo(count).map((n) => ({
    folderId: `${prefix}-${n}`,
    parentFolderId: n % FOLDER_DEPTH === 0 ? null : `${prefix}-${n - 1}`,
  }));
const deepestIn = (prefix: string) => ({ folderId: `${prefix}-${FOLDER_DEPTH - 1}` });
const documents = (prefix: string, count: number) =>
  ids(prefix, count).map((documentId) => ({ documentId }));

const acme = { organizationId: 'acme' };
const place = { ...acme, documentId: 'there-0' };
const thread = { ...place, annotationId: 'thread' };
const author = { userId: 'there-0', name: 'Ada' };
const comment = { commentText: 'Hello', from: author };
const reaction = (icon: string) => ({ ...thread, commentId: 1, icon, userId: 'there-0' });
const deep = deepestIn('there');

const call = (operation: string, data: object, headers = server.keyHeaders) =>
  server.ok(operation.startsWith('/') ? operation : `/v2/${operation}`, data, headers);

const addUsers = (prefix: string, count: number) =>
  call('/v1/users/add', { ...acme, users: users(prefix, count) });
const addFolders = (folders: object[], more: object = acme) =>
  call('organizations/folders/add', { ...more, folders });
const addDocuments = (prefix: string, count: number, more: object = {}) =>
  call('organizations/documents/add', { ...acme, documents: documents(prefix, count), ...more });

const newOrganizations = (prefix: string, count: number) =>
  ids(prefix, count).map((organizationId) => ({ organizationId }));
async function addOrganizations(count: number): Promise<void> {
  const organizations = newOrganizations(`of-${count}`, Math.min(count, 8));
  await call('organizations/add', { organizations });
  for (const organization of organizations) {
    await addFolders(chains('f', FOLDER_DEPTH), organization);
    await addDocuments('d', 2, { ...organization, ...deepestIn('f') });
  }
}

const atRoot = (count: number, more: object = {}) =>
  ids(`moved${count}`, count).map((folderId) => ({ folderId, ...more }));
const tops = (prefix: string, count: number) =>
  upTo(count).map((n) => `${prefix}-${n * FOLDER_DEPTH}`);
async function fillFolders(count: number): Promise<void> {
  await addFolders(chains(`full${count}`, count * FOLDER_DEPTH));
  await addDocuments(`full${count}`, count, deepestIn(`full${count}`));
}
const addMovable = (count: number) => addDocuments(`m${count}`, count);

/** Up to five annotations, which mention this many users. */
const mentions = (count: number) => {
  const taggedUserContacts = users(`m${count}`, count);
  return upTo(Math.min(count, 5)).map(() => ({
    commentData: [{ ...comment, taggedUserContacts }],
  }));
};
/** Documents without annotations and notifications, which others add to the first document. */
const emptyDocuments = (count: number) => ({
  documentIds: ids('there', Math.min(count, 30) + 1).slice(1),
});
const notification = {
  ...{ displayHeadlineMessageTemplate: 'Read this', displayBodyMessage: 'Please' },
  actionUser: author,
};
const recording = { url: 'https://media.example.com/a.mp4', from: author };
const prioritized = (n: number) => {
  const updatedData = { priority: { id: `p${n}` } };
  return { annotationIds: ['thread'], updatedData };
};
const attached = (n: number) => {
  const attachments = upTo(n).map(() => attachment);
  return { ...thread, commentData: [{ ...comment, attachments }] };
};
const here = { status: 'here' };
const everywhere = (some: string[]) => ({ userIds: some, folderIds: some, documentIds: some });
const granted = (count: number) => {
  const resources = ids('there', count).map((id) => ({ ...acme, type: 'document', id }));
  return { permissions: { resources } };
};
const paid = { featureType: 'invoice', actionType: 'invoice.pay' };
const activities = (count: number) =>
  ids(`a${count}`, count).map((activityId) => ({ activityId, ...paid }));
const judgments = (count: number) =>
  ids('q', count).map((query) => ({ ...acme, query, decision: 'approved' }));
const key = { ownerEmail: 'ada@example.com', type: 'testing', createAuthToken: true };
const domains = (count: number) => ids('host', count).map((host) => `${host}.example.com`);

/** A call, whose title begins with its operation, how often it waits, and its data for this many items. */
type Case = [
  title: string,
  roundTrips: number,
  data: (count: number) => object,
  /** Makes what the call needs. */
  prepare?: (count: number) => Promise<unknown>,
];

const onThread: Record<string, (n: number) => object> = {
  subscribe: (n) => ({ userId: `reader-${n}` }),
  read: () => ({ userId: 'there-0' }),
  'comments/add': () => ({ commentData: [comment] }),
  'comments/update': (n) => ({ commentData: [{ commentId: 1, commentText: `Hello ${n}` }] }),
  'comments/delete': (n) => ({ commentIds: [1_000 + n] }),
  'reactions/add': (n) => reaction(`icon-${n}`),
  'reactions/delete': (n) => reaction(`old-${n}`),
};

/** Operations that change organizations, folders, documents and users. */
const inDirectory: Case[] = [
  ['add', 2, (n) => ({ organizations: newOrganizations(`o${n}`, n) })],
  ['delete', 15, (n) => ({ organizationIds: ids(`of-${n}`, Math.min(n, 8)) }), addOrganizations],
  ['folders/add', 3, (n) => ({ folders: chains(`f${n}`, n) })],
  ['folders/delete', 15, (n) => ({ folderIds: tops(`full${n}`, n) }), fillFolders],
  ['documents/add', 2, (n) => ({ documents: documents(`root${n}`, n) })],
  ['documents/add, five deep', 2, (n) => ({ ...deep, documents: documents(`deep${n}`, n) })],
  ['documents/get', 1, () => ({ documentIds: ['plan-0'] })],
  ['documents/get, five deep', 2, (n) => ({ ...deep, pageSize: n })],
  ['documents/move', 5, (n) => ({ ...deep, documentIds: ids(`m${n}`, n) }), addMovable],
];

const CASES: Case[] = [
  ...Object.entries(onThread).map(
    ([operation, data]): Case => [
      `commentannotations/${operation}`,
      2,
      (n) => ({ ...thread, ...data(n) }),
    ],
  ),
  ...inDirectory.map(([operation, ...more]): Case => [`organizations/${operation}`, ...more]),
  ['presence/update, which only renews', 1, () => ({ ...place, users: [{ userId: 'still' }] })],
  ['presence/update', 1, (n) => ({ ...place, users: [{ userId: 'moving', status: `s${n}` }] })],
  ['presence/update, of new users', 2, (n) => ({ ...place, users: users(`p${n}`, n, here) })],
  ['presence/delete', 1, (n) => ({ ...place, userIds: ids('somebody', n) })],
  ['presence/get', 1, () => place],
  ['commentannotations/get', 1, () => place],
  ['commentannotations/add', 2, (n) => ({ ...place, commentAnnotations: mentions(n) })],
  ['commentannotations/update', 2, (n) => ({ ...place, ...prioritized(n) })],
  ['commentannotations/delete', 2, (n) => ({ ...place, annotationIds: [`deleted-${n}`] })],
  ['commentannotations/comments/add, with attachments', 3, attached],
  ['commentannotations/count/get', 2, emptyDocuments],
  ['notifications/add', 2, (n) => ({ ...place, ...notification, notifyUsers: users('there', n) })],
  ['notifications/unread/count/get', 2, (n) => ({ ...emptyDocuments(n), userId: 'there-0' })],
  ['recordings/add', 2, (n) => ({ ...place, recordings: upTo(n).map(() => recording) })],
  ['/v1/users/add', 2, (n) => ({ users: users(`u${n}`, n) })],
  ['/v1/users/add, of users who are there', 2, (n) => ({ users: users('there', n) })],
  ['users/update', 2, (n) => ({ users: users('there', n, { name: `Renamed ${n}` }) })],
  ['users/delete', 4, (n) => ({ userIds: ids(`u${n}`, n) }), (n) => addUsers(`u${n}`, n)],
  [
    '/v1/organizations/folders/update, which moves them',
    8,
    (n) => ({ folders: atRoot(n, { parentFolderId: deep.folderId }) }),
    (n) => addFolders(atRoot(n)),
  ],
  ['auth/permissions/get, five deep', 3, (n) => everywhere(ids('there', n))],
  ['auth/permissions/add', 2, (n) => ({ user: { userId: `granted-${n}` }, ...granted(n) })],
  ['activities/add', 4, (n) => ({ activities: activities(n) })],
  ['memory/judgments/add', 3, (n) => ({ judgments: judgments(n) })],
  ['workspace/apikey/create', 4, (n) => ({ ...key, allowedDomains: domains(n) })],
  ['workspace/emailconfig/update', 1, () => ({ useEmailService: false })],
  ['workspace/emailconfig/get', 1, () => ({})],
];

await addUsers('there', MANY);
await addFolders(chains('there', MANY));
await addDocuments('there', MANY, deep);
await addDocuments('plan', 1);
await call('workspace/activityconfig/update', { activityServiceConfig: { isEnabled: true } });
const COUNTS = [2, 1, MANY];
const deletable = COUNTS.map((n) => ({ ...comment, commentId: 1_000 + n }));
const annotation = (annotationId: string, commentData: object[] = [comment]) => ({
  annotationId,
  commentData,
});
const attachment = await attachmentsOf(server).upload(place);
await call('commentannotations/add', {
  ...place,
  commentAnnotations: [
    annotation('thread', [{ ...comment, commentId: 1 }, ...deletable]),
    ...COUNTS.map((n) => annotation(`deleted-${n}`)),
  ],
});
for (const n of COUNTS) await call('commentannotations/reactions/add', reaction(`old-${n}`));

it.each(CASES)(
  '%s waits for the database this often, and sends as many statements for any number of items: %i',
  async (title, roundTrips, data, prepare) => {
    const [operation = ''] = title.split(',');
    const headers = operation.includes('/apikey/') ? server.workspaceHeaders : server.keyHeaders;
    /** The statements of a call for this many items, by the waits for them. */
    const sentBy = async (count: number) => {
      await prepare?.(count);
      const input = { ...acme, ...data(count) };
      let waits: string[][] = [];
      const statements = await server.statementsOf(async () => {
        waits = await server.roundTripsOf(() => call(operation, input, headers));
      });
      return { waits, statements };
    };
    // The first call fills caches.
    await sentBy(2);
    const { waits, statements } = await sentBy(1);
    expect(waits, waits.map((sent) => sent.join('; ')).join('\n--\n')).toHaveLength(roundTrips);
    const ofMany = (await sentBy(MANY)).statements;
    expect(ofMany, ofMany.join('\n')).toHaveLength(statements.length);
  },
);

it.each(['get', 'delete'])(
  'access is read once for a user who calls crdt/%s on a document without content',
  async (verb) => {
    const headers = await userHeaders(server, 'there-0', granted(1).permissions.resources);
    const statements = await server.statementsOf(() => call(`crdt/${verb}`, place, headers));
    expect(statements.filter((text) => text.includes('FROM grants'))).toHaveLength(1);
  },
);

it('suggestions need as many statements, however many they are', async () => {
  const words = Array.from({ length: 12 }, (_, at) => `word${at}.`);
  const editor = { ...place, editorId: 'body' };
  await call('crdt/add', { ...editor, type: 'text', data: words.join(' ') });
  const ids: string[] = [];
  const counted = async (verb: string, data: object) => {
    const statements = await server.statementsOf(async () => {
      const outcomes = await call(`suggestions/${verb}`, { ...editor, ...data });
      if (verb === 'add') ids.push(...Object.keys(outcomes));
    });
    return statements.length;
  };
  const suggest = (quotes: string[]) =>
    counted('add', {
      suggestions: quotes.map((quote) => ({ quote, replacement: 'x', from: { userId: 'ada' } })),
    });
  expect(await suggest(words.slice(2))).toBe(await suggest(words.slice(0, 2)));
  for (const [verb, own] of Object.entries({ accept: ids.slice(0, 6), reject: ids.slice(6) })) {
    const decide = (annotationIds: string[]) => counted(verb, { annotationIds });
    expect(await decide(own.slice(0, 2)), verb).toBe(await decide(own.slice(2)));
  }
});
