import type { Pool } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Sql } from '../../src/platform/database/database.ts';
import { userHeaders } from '../support/annotations.ts';
import { databasePool } from '../support/database-client.ts';
import { maxRowsRead, readsOf, stopAutovacuum } from '../support/rows-read.ts';
import { testServer } from '../support/server.ts';
import { aroundStatements } from '../support/statements.ts';
import { PATHS } from '../support/webhooks.ts';

/** The rows of the large tenant in each table, beside tenants with one row. */
const ROWS = 20_000;
const TENANTS = 200;
/** The calls name few resources. PostgreSQL may read small tables, such as that of keys, as a whole. */
const MAX_ROWS = 500;
/** A row may take two blocks beside those of the index. */
const MAX_BLOCKS = 150;
const PAGE = 10;

const sent: Sql[] = [];
const server = testServer(
  { ROLES: 'api' },
  {
    onDatabase: (db) =>
      aroundStatements(db.pool, () => (text, query, args) => {
        const [statement] = args as [{ values?: unknown[] }];
        if (statement.values) sent.push({ text, values: statement.values } as Sql);
        return query(...args);
      }),
  },
);

/**
 * In the organization `acme` of the large tenant $1. Its user `fan` has a role on every document. A tenth of the rows
 * are of the folder, document, user or endpoint that a list of pages names.
 */
const LARGE = [
  `INSERT INTO users (tenant_id, user_id) SELECT $1, 'u' || n FROM generate_series(1, ${ROWS}) n
   UNION ALL SELECT $1, 'fan'`,
  `INSERT INTO folders (tenant_id, organization_id, folder_id, parent_folder_id)
   SELECT $1, 'acme', 'f' || n, CASE WHEN n > 3 THEN 'f' || n % 3 + 1 END FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO documents (tenant_id, organization_id, document_id, document_name, folder_id)
   SELECT $1, 'acme', 'd' || n, '', CASE WHEN n % 10 = 3 THEN 'f1' WHEN n % 2 = 0 THEN 'f' || n END
   FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO grants (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
   SELECT $1, 'acme', 'organization', 'acme', 'u' || n, 'editor' FROM generate_series(1, ${ROWS}) n
   UNION ALL SELECT $1, 'acme', 'document', 'd' || n, 'fan', 'editor' FROM generate_series(1, ${ROWS}) n
   UNION ALL SELECT $1, 'acme', 'document', 'd' || n, 'u9', 'editor' FROM generate_series(1, 30) n`,
  `INSERT INTO user_groups (tenant_id, organization_id, group_id)
   SELECT $1, 'acme', 'g' || n FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO comment_annotations (tenant_id, organization_id, document_id, annotation_id, annotation_number,
     type, author_id, from_user, status_id, status, visibility, created_at, last_updated, last_comment_at,
     last_comment_by, next_comment_id)
   SELECT $1, 'acme', 'd' || n, 'a' || n, 1, 'comment', 'u1', '{"userId":"u1"}', 's',
     '{"id":"s","type":"default"}', '{"type":"public"}', n, n, n, 'u1', 2 FROM generate_series(1, ${ROWS}) n
   ORDER BY md5(n::text)`,
  `INSERT INTO comments (tenant_id, annotation_id, comment_id, author_id, from_user, content, created_at,
     last_updated)
   SELECT $1, 'a' || n, 1, 'u1', '{"userId":"u1"}', '{}', n, n FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO comment_reactions (tenant_id, annotation_id, comment_id, icon, user_id, reaction_id, "user",
     last_updated)
   SELECT $1, 'a' || n, 1, 'ok', 'u' || n % 1000, 'r' || n, '{"userId":"u"}', n FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO notifications (tenant_id, organization_id, notification_id, document_id, created_ms, position,
     source, content)
   SELECT $1, 'acme', 'n' || n, 'd' || n % 10 + 1, n, n, 'custom', '{"sourceData": {}, "actionUser": {"userId": "u1"},
     "template": "", "templateData": {}, "body": ""}' FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO notification_recipients
     (tenant_id, organization_id, notification_id, user_id, document_id, created_ms, position)
   SELECT $1, 'acme', 'n' || n, CASE n % 10 WHEN 0 THEN 'fan' ELSE 'u' || n % 10 END, 'd' || n % 10 + 1, n, n
   FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO notification_preferences (tenant_id, organization_id, user_id, document_id, inbox)
   SELECT $1, 'acme', 'fan', 'd' || n, 'ALL' FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO recordings (tenant_id, organization_id, document_id, recording_id, author_id, created_ms, content)
   SELECT $1, 'acme', 'd1', 'r' || n, 'u1', n, '{"url":"https://example.com","from":{"userId":"u1"}}' FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO attachments (tenant_id, organization_id, document_id, attachment_id, name, type, size, created_ms,
     completed)
   SELECT $1, 'acme', 'd1', 't' || n, 'x', 'text/plain', 1, n, true FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO activities (tenant_id, organization_id, position, id, document_id, user_id, feature_type, action_type,
     content, is_immutable, created_at, previous_hash, hash)
   SELECT $1, 'acme', n, 'c' || n, 'd' || n % 10 + 1, 'u' || n % 10, 'comment',
     CASE n WHEN 1 THEN 'other' ELSE 'comment.add' END, '{}', false, now(), '', ''
   FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO presence (tenant_id, organization_id, document_id, user_id, status, seen_at)
   SELECT $1, 'acme', 'd1', 'u' || n, 'online', now() FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO crdt_versions (tenant_id, log_id, number, version_id, version, snapshot, created_at)
   SELECT $1, log_id, n, 'v' || n, 1, '', now() FROM crdt_documents, generate_series(1, ${ROWS}) n
   WHERE tenant_id = $1`,
  `INSERT INTO service_settings (tenant_id, use_advanced_webhooks) SELECT $1, true
   ON CONFLICT (tenant_id) DO UPDATE SET use_advanced_webhooks = true`,
  `INSERT INTO webhook_endpoints (tenant_id, id, url, filter_types, sealed_secret, start_sequence, created_at,
     updated_at)
   SELECT $1, 'endpoint-' || n, 'https://example.com', '{folder.delete}', '', 0, now(), now()
   FROM generate_series(0, 9) n`,
  `INSERT INTO webhook_deliveries (tenant_id, endpoint_id, created_at, sequence, event_id, event_type, status,
     settled_at, attempts)
   SELECT $1, 'endpoint-' || n % 10, to_timestamp(n), n, 'event-' || n, 'comment.add', 'delivered', now(), 1
   FROM generate_series(1, ${ROWS}) n`,
];

/** Tables of which each small tenant has one row. */
const COPIED = [
  ...[
    'organizations',
    'users',
    'folders',
    'documents',
    'grants',
    'user_groups',
    'comment_annotations',
  ],
  ...['comments', 'comment_reactions', 'notifications', 'notification_recipients'],
  ...['notification_preferences', 'recordings', 'attachments', 'activities', 'presence'],
];

let pool: Pool;
beforeAll(async () => {
  pool = databasePool(server.databaseUrl);
  await stopAutovacuum(pool);
  await server.ok('/v2/organizations/add', { organizations: [{ organizationId: 'acme' }] });
  await server.ok('/v2/organizations/documents/add', {
    ...acme,
    documents: [{ documentId: 'crdt' }],
  });
  await server.ok('/v2/crdt/add', content);
  for (const fill of LARGE) await pool.query(fill, [server.quickstart.apiKey]);
});

/** Copies one row of the large tenant to each small tenant, without checks of what it refers to. */
async function copyRow(table: string): Promise<void> {
  await pool.query(
    `DO $$ BEGIN
       SET LOCAL session_replication_role = replica;
       INSERT INTO ${table} SELECT (jsonb_populate_record(NULL::${table}, to_jsonb(t) || jsonb_build_object('tenant_id', 'small' || n))).*
       FROM (SELECT * FROM ${table} WHERE tenant_id = '${server.quickstart.apiKey}' LIMIT 1) AS t,
         generate_series(1, ${TENANTS}) AS n;
     END $$`,
  );
}

const acme = { organizationId: 'acme' };
const documentIds = ['d2', 'd4', 'd7'];
const ids = ['new-1', 'new-2', 'new-3'];
const comment = { commentText: 'x', from: { userId: 'u1' } };
const role = { type: 'document', id: 'd2', organizationId: 'acme', accessRole: 'viewer' };
const place = { ...acme, documentId: 'd1' };
const editor = { ...acme, documentId: 'crdt', editorId: 'body' };
const content = { ...editor, type: 'text', data: 'x' };
const cases: Array<[what: string, path: string, data: object, asUser?: string | undefined]> = [
  ['roles of users', '/v2/auth/permissions/get', { ...acme, userIds: ['u1', 'fan'], documentIds }],
  ['own roles', '/v2/auth/permissions/get', { ...acme, userIds: ['fan'], documentIds }, 'fan'],
  ['documents', '/v2/organizations/documents/get', { ...acme, documentIds }],
  ['users', '/v2/users/get', { ...acme, userIds: ['u1', 'u2'] }],
  [
    'user groups',
    '/v2/organizations/usergroups/get',
    { ...acme, organizationUserGroupIds: ['g1', 'g2'] },
  ],
  ['annotations of a document', '/v2/commentannotations/get', place],
  ['annotations of a document that a user reads', '/v2/commentannotations/get', place, 'u9'],
  ['annotations in a folder', '/v2/commentannotations/get', { ...acme, folderId: 'f9' }, 'u9'],
  ['activities', '/v2/activities/get', { ...acme, actionTypes: ['other'] }],
  ['counts of annotations', '/v2/commentannotations/count/get', { ...acme, documentIds }, 'fan'],
  [
    'counts of unread notifications',
    '/v2/notifications/unread/count/get',
    { ...acme, documentIds },
    'fan',
  ],
  [
    'notifications',
    '/v2/notifications/get',
    { ...acme, userId: 'fan', notificationIds: ['n10', 'n20'] },
  ],
  [
    'notifications of a document',
    '/v2/notifications/get',
    { ...place, notificationIds: ['n10', 'n20'] },
  ],
  ['preferences', '/v2/notifications/config/get', { ...acme, documentIds }, 'fan'],
  ['recordings', '/v2/recordings/get', { ...place, recordingIds: ['r1', 'r2'] }],
  ['an attachment', '/v2/attachments/get', { ...place, attachmentId: 't7' }],
  ['presence', '/v2/presence/get', { ...place, userIds: ['u1', 'u2'] }],
  ['subfolders', '/v2/organizations/folders/get', { ...acme, folderId: 'f9', maxDepth: 1 }],
  [
    'a new comment',
    '/v2/commentannotations/comments/add',
    { ...place, annotationId: 'a1', commentData: [comment] },
  ],
  [
    'new annotations',
    '/v2/commentannotations/add',
    {
      ...{ ...acme, documentId: 'new', createDocument: true },
      commentAnnotations: ids.map((annotationId) => ({ annotationId, commentData: [comment] })),
    },
  ],
  [
    'a document',
    '/v2/organizations/documents/update',
    { ...acme, documents: [{ documentId: 'd1', documentName: 'n' }] },
  ],
  ['a user who signs in', '/v1/users/add', { ...acme, users: [{ userId: 'u1', name: 'n' }] }],
  ['the name of a user', '/v2/users/update', { ...acme, users: [{ userId: 'u2', name: 'n' }] }],
  ['content', '/v2/crdt/get', editor],
  [
    'a role',
    '/v2/auth/permissions/add',
    { user: { userId: 'u3' }, permissions: { resources: [role] } },
  ],
  ['data of a user', '/v2/users/data/get', { ...acme, userId: 'u77' }],
];

const pages: Array<[what: string, path: string, data: object, mostRows?: number]> = [
  ['users', '/v2/users/get', acme],
  ['versions', '/v2/crdt/versions/list', editor],
  ['documents', '/v2/organizations/documents/get', acme],
  ['documents in a folder', '/v2/organizations/documents/get', { ...acme, folderId: 'f1' }],
  ['activities', '/v2/activities/get', acme],
  ['activities on a document', '/v2/activities/get', place],
  ['activities of a user', '/v2/activities/get', { ...acme, userId: 'u3' }],
  ['notifications of a document', '/v2/notifications/get', place],
  // An inbox reads a hundred at once, as some may be hidden.
  ['notifications in an inbox', '/v2/notifications/get', { ...acme, userId: 'fan' }, 500],
  // The list reads a page of each of the ten endpoints.
  ['deliveries', PATHS.deliveries, {}, 20 * PAGE],
  ['deliveries to an endpoint', PATHS.deliveries, { endpointId: 'endpoint-3' }],
];

/** The statements that read or update rows which a call names. */
async function statementsOf(path: string, data: object, asUser?: string) {
  const headers = asUser === undefined ? server.keyHeaders : await userHeaders(server, asUser, []);
  sent.length = 0;
  const { status, body } = await server.call(path, data, headers);
  expect(status, JSON.stringify(body)).toBe(200);
  const ignored = /^\s*(INSERT|DELETE)|INTO comment_annotations|background|credentials/;
  return { body, statements: sent.splice(0).filter(({ text }) => !ignored.test(text)) };
}

async function expectFewRows(path: string, data: object, asUser: string | undefined) {
  const { statements } = await statementsOf(path, data, asUser);
  for (const statement of statements) {
    const [reads] = await readsOf(pool, [statement]);
    expect(reads?.rows, statement.text).toBeLessThanOrEqual(MAX_ROWS);
    expect(reads?.blocks, statement.text).toBeLessThanOrEqual(MAX_BLOCKS);
  }
}

/** Reads a page of `size`, and the token of the next page. */
async function readPage(path: string, data: object, size: number, token?: string) {
  const isDeliveries = path === PATHS.deliveries;
  const where = isDeliveries
    ? { limit: size, iterator: token }
    : { pageSize: size, pageToken: token };
  const { body, statements } = await statementsOf(path, { ...data, ...where });
  const { data: found, nextPageToken } = body.result;
  expect(isDeliveries ? found.deliveries : found).toHaveLength(size);
  return { next: isDeliveries ? found.iterator : nextPageToken, statements };
}

/** Without statistics, PostgreSQL expects one row from each of the indexes that begin with the user or the organization. */
const NEED_STATISTICS = [
  'a role',
  'activities',
  'counts of annotations',
  'notifications',
  'preferences',
];

it.each(cases.filter(([what]) => !NEED_STATISTICS.includes(what)))(
  'a call for %s reads only these before there are statistics',
  (_, ...call) => expectFewRows(...call),
);

it.each(pages)(
  'the first page of %s reads no row twice before there are statistics',
  async (...list) => {
    const [, path, data] = list;
    const { statements } = await readPage(path, data, PAGE);
    expect(await maxRowsRead(pool, statements)).toBeLessThan(2 * ROWS);
  },
);

describe('beside many small tenants', () => {
  beforeAll(async () => {
    for (const table of COPIED) await copyRow(table);
    await pool.query('ANALYZE');
  });

  it.each(cases)('a call for %s reads only these', (_, ...call) => expectFewRows(...call));

  it.each(pages)(
    'the first page of %s, and one in the middle, read few rows, however many there are',
    async (_, path, data, mostRows = 5 * PAGE) => {
      const { next } = await readPage(path, data, path === PATHS.deliveries ? 250 : 1_000);
      for (const token of [undefined, next]) {
        const { statements } = await readPage(path, data, PAGE, token);
        expect(await maxRowsRead(pool, statements)).toBeLessThanOrEqual(mostRows);
      }
    },
  );
});
