import { expect, it } from 'vitest';
import { userHeaders } from '../support/annotations.ts';
import { startTestServer } from '../support/server.ts';

const MANY = 200;
const FOLDER_DEPTH = 5;

const server = await startTestServer({ ROLES: 'api' });

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const ids = (prefix: string, count: number) => upTo(count).map((n) => `${prefix}-${n}`);
const userIds = (prefix: string, count: number, name?: string) =>
  ids(prefix, count).map((userId) => ({ userId, name }));

/** Chains of five nested folders. A single folder is at the root. */
const folders = (prefix: string, count: number) =>
  upTo(count).map((n) => ({
    folderId: `${prefix}-${n}`,
    parentFolderId: n % FOLDER_DEPTH === 0 ? null : `${prefix}-${n - 1}`,
  }));
const deepestFolder = (prefix: string) => `${prefix}-${FOLDER_DEPTH - 1}`;

const place = { organizationId: 'acme' };
const document = { ...place, documentId: 'there-0' };

const call = (path: string, data: object, headers?: Record<string, string>) =>
  server.ok(path, data, headers);

const addUsers = (prefix: string, count: number) =>
  call('/v1/users/add', { ...place, users: userIds(prefix, count) });

const addFolders = (some: object[], organizationId = 'acme') =>
  call('/v2/organizations/folders/add', { organizationId, folders: some });

const documentsIn = (folderId: string | undefined, prefix: string, count: number) => ({
  ...place,
  folderId,
  documents: ids(prefix, count).map((documentId) => ({ documentId })),
});
const addDocuments = (data: object) => call('/v2/organizations/documents/add', data);

const organizationIds = (count: number) => ids(`of-${count}`, Math.min(count, 8));

async function addOrganizations(count: number): Promise<void> {
  const organizations = organizationIds(count).map((organizationId) => ({ organizationId }));
  await call('/v2/organizations/add', { organizations });
  for (const { organizationId } of organizations) {
    await addFolders(folders('f', FOLDER_DEPTH), organizationId);
    await addDocuments({ ...documentsIn(deepestFolder('f'), 'd', 2), organizationId });
  }
}

await addUsers('there', MANY);
await addFolders(folders('there', MANY));
await addDocuments(documentsIn(deepestFolder('there'), 'there', MANY));
await call('/v2/workspace/activityconfig/update', { activityServiceConfig: { isEnabled: true } });

/** A call, whose title begins with its path. `data` returns its input, apart from the organization. */
type Case = [
  title: string,
  statements: number,
  data: (count: number) => object,
  /** Makes what the call needs. */
  prepare?: (count: number) => Promise<unknown>,
];

const inDeepFolder = { folderId: deepestFolder('there') };
/** Documents without annotations and notifications, which others add to the first document. */
const emptyDocuments = (count: number) => ({
  documentIds: ids('there', Math.min(count, 30) + 1).slice(1),
});
const foldersBelow = (count: number, more: object = {}) =>
  ids(`moved${count}`, count).map((folderId) => ({ folderId, ...more }));

async function fillFolders(count: number): Promise<void> {
  const prefix = `emptied${count}`;
  await addFolders(folders(prefix, count * FOLDER_DEPTH));
  await addDocuments(documentsIn(deepestFolder(prefix), prefix, count));
}

const resourcesThere = (count: number) =>
  ids('there', count).map((id) => ({ ...place, type: 'document', id }));

/** Up to five annotations, which mention this many users. */
const mentions = (count: number) => {
  const comment = { from: { userId: 'there-0' }, taggedUserContacts: userIds(`m${count}`, count) };
  return upTo(Math.min(count, 5)).map(() => ({ commentData: [comment] }));
};
const notification = {
  ...{ ...document, displayHeadlineMessageTemplate: 'Read this', displayBodyMessage: 'Please' },
  actionUser: { userId: 'there-0', name: 'Ada' },
};
const activities = (count: number) =>
  ids(`a${count}`, count).map((activityId) => ({
    activityId,
    featureType: 'invoice',
    actionType: 'invoice.pay',
  }));
const key = { ownerEmail: 'ada@example.com', type: 'testing', createAuthToken: true };

/**
 * The statements for any number of items. BEGIN and COMMIT are not counted, nor the lookup of
 * credentials, which are cached.
 */
const CASES: Case[] = [
  ['/v1/users/add', 3, (count) => ({ users: userIds(`u${count}`, count) })],
  ['/v1/users/add, of users who are there', 3, (count) => ({ users: userIds('there', count) })],
  ['/v2/users/update', 5, (count) => ({ users: userIds('there', count, `Renamed ${count}`) })],
  [
    '/v2/users/delete',
    7,
    (count) => ({ userIds: ids(`gone${count}`, count) }),
    (count) => addUsers(`gone${count}`, count),
  ],
  [
    '/v2/organizations/delete, with folders and documents',
    15,
    (count) => ({ organizationIds: organizationIds(count) }),
    addOrganizations,
  ],
  ['/v2/organizations/folders/add', 5, (count) => ({ folders: folders(`f${count}`, count) })],
  [
    '/v1/organizations/folders/update, which moves them',
    7,
    (count) => ({ folders: foldersBelow(count, { parentFolderId: deepestFolder('there') }) }),
    (count) => addFolders(foldersBelow(count)),
  ],
  [
    '/v2/organizations/folders/delete, with folders and documents',
    14,
    (count) => ({ folderIds: upTo(count).map((n) => `emptied${count}-${n * FOLDER_DEPTH}`) }),
    fillFolders,
  ],
  [
    '/v2/organizations/documents/add, in a folder five deep',
    4,
    (count) => documentsIn(deepestFolder('there'), `d${count}`, count),
  ],
  [
    '/v2/organizations/documents/get, in a folder five deep',
    2,
    (count) => ({ ...inDeepFolder, pageSize: count }),
  ],
  [
    '/v2/organizations/documents/move',
    5,
    (count) => ({ ...inDeepFolder, documentIds: ids(`moved${count}`, count) }),
    (count) => addDocuments(documentsIn(undefined, `moved${count}`, count)),
  ],
  [
    '/v2/auth/permissions/get, five deep',
    3,
    (count) => {
      const there = ids('there', count);
      return { userIds: there, folderIds: there, documentIds: there };
    },
  ],
  [
    '/v2/auth/permissions/add',
    5,
    (count) => ({
      user: { userId: `granted-${count}` },
      permissions: { resources: resourcesThere(count) },
    }),
  ],
  [
    '/v2/presence/update',
    5,
    (count) => ({
      ...document,
      users: userIds(`p${count}`, count).map((user) => ({ ...user, status: 'here' })),
    }),
  ],
  [
    '/v2/commentannotations/add, which mention users',
    7,
    (count) => ({ ...document, commentAnnotations: mentions(count) }),
  ],
  ['/v2/commentannotations/count/get, of documents without annotations', 2, emptyDocuments],
  [
    '/v2/notifications/unread/count/get, of documents without notifications',
    2,
    (count) => ({ ...emptyDocuments(count), userId: 'there-0' }),
  ],
  [
    '/v2/notifications/add',
    5,
    (count) => ({ ...notification, notifyUsers: userIds('there', count) }),
  ],
  ['/v2/activities/add', 7, (count) => ({ activities: activities(count) })],
  [
    '/v2/memory/judgments/add',
    2,
    (count) => ({
      judgments: ids('item', count).map((query) => ({ ...place, query, decision: 'approved' })),
    }),
  ],
  [
    '/v2/workspace/apikey/create',
    3,
    (count) => ({ ...key, allowedDomains: upTo(count).map((n) => `host-${n}.example.com`) }),
  ],
];

it.each(CASES)(
  '%s sends as many statements for any number of items: %i',
  async (title, statements, data, prepare) => {
    const [path = ''] = title.split(',');
    const headers = path.includes('/apikey/') ? server.workspaceHeaders : server.keyHeaders;
    for (const count of [1, MANY]) {
      await prepare?.(count);
      const input = { ...place, ...data(count) };
      const own = await server.statementsOf(() => call(path, input, headers));
      expect(own, `with ${count}:\n${own.join('\n')}`).toHaveLength(statements);
    }
  },
);

it.each(['get', 'delete'])(
  'access is read once for a user who calls crdt/%s on a document without content',
  async (verb) => {
    const editor = { type: 'document', id: 'there-0', organizationId: 'acme' };
    const headers = await userHeaders(server, 'there-0', [editor]);
    const statements = await server.statementsOf(() => call(`/v2/crdt/${verb}`, document, headers));
    expect(statements.filter((text) => text.includes('FROM grants'))).toHaveLength(1);
  },
);

it('suggestions need as many statements, however many they are', async () => {
  const words = Array.from({ length: 12 }, (_, at) => `word${at}.`);
  const editor = { ...document, editorId: 'body' };
  await call('/v2/crdt/add', { ...editor, type: 'text', data: words.join(' ') });
  const ids: string[] = [];
  const counted = async (path: string, data: object) => {
    const statements = await server.statementsOf(async () => {
      const outcomes = await call(path, { ...editor, ...data });
      if (path.endsWith('add')) ids.push(...Object.keys(outcomes));
    });
    return statements.length;
  };
  const suggest = (quotes: string[]) =>
    counted('/v2/suggestions/add', {
      suggestions: quotes.map((quote) => ({ quote, replacement: 'x', from: { userId: 'ada' } })),
    });
  expect(await suggest(words.slice(2))).toBe(await suggest(words.slice(0, 2)));
  for (const [verb, own] of [
    ['accept', ids.slice(0, 6)],
    ['reject', ids.slice(6)],
  ] as const) {
    const decide = (annotationIds: string[]) =>
      counted(`/v2/suggestions/${verb}`, { annotationIds });
    expect(await decide(own.slice(0, 2)), verb).toBe(await decide(own.slice(2)));
  }
});
