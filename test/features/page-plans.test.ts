import { beforeAll, expect, it } from 'vitest';
import type { KeyContext } from '../../src/api/context.ts';
import { getActivities } from '../../src/features/activity/get-activities.ts';
import { listVersions } from '../../src/features/crdt/versions/versions.ts';
import { getDocuments } from '../../src/features/directory/documents/get-documents.ts';
import { getNotifications } from '../../src/features/notifications/get-notifications.ts';
import { getUsers } from '../../src/features/users/get-users.ts';
import { getDeliveries } from '../../src/features/webhooks/deliveries/get-deliveries.ts';
import { makePlan } from '../support/editors.ts';
import {
  maxRowsRead,
  PLAN_MODES,
  recordingDatabase,
  stopAutovacuum,
} from '../support/rows-read.ts';
import { testServer } from '../support/server.ts';

const ROWS = 20_000;
const PAGE = 10;
const organizationId = 'acme';
const documentId = 'plan';
const folderId = 'folder';
const userId = 'user-3';
const endpointId = 'endpoint-3';

const server = testServer();

/** Rows of each table, of which a tenth are of the folder, user, document or endpoint that a list names. */
const FILLS = [
  `INSERT INTO crdt_versions (tenant_id, log_id, number, version_id, version, snapshot, created_at)
   SELECT tenant_id, log_id, n, 'version-' || n, 1, '', now()
   FROM crdt_documents, generate_series(1, $1::int) AS n WHERE tenant_id = $2`,
  `INSERT INTO users (tenant_id, user_id)
   SELECT $2, 'user-' || n FROM generate_series(1, $1::int) AS n`,
  `INSERT INTO grants
     (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
   SELECT $2, 'acme', 'organization', 'acme', 'user-' || n, 'viewer'
   FROM generate_series(1, $1::int) AS n`,
  `INSERT INTO folders (tenant_id, organization_id, folder_id)
   SELECT $2, 'acme', 'folder' WHERE $1::int > 0`,
  `INSERT INTO documents (tenant_id, organization_id, document_id, document_name, folder_id)
   SELECT $2, 'acme', 'document-' || n, '', CASE WHEN n % 10 = 3 THEN 'folder' END
   FROM generate_series(1, $1::int) AS n`,
  `INSERT INTO activities (tenant_id, organization_id, position, id, document_id, feature_type,
     action_type, user_id, content, is_immutable, created_at, previous_hash, hash, content_hash,
     content_salt)
   SELECT $2, 'acme', n, 'activity-' || n, CASE WHEN n % 10 = 3 THEN 'plan' END, 'comment',
     'comment.add', 'user-' || n % 10, '{}', true, now(), '', '', '', ''
   FROM generate_series(1, $1::int) AS n`,
  `INSERT INTO comment_annotations (tenant_id, organization_id, document_id, annotation_id,
     annotation_number, type, author_id, from_user, status_id, status, visibility, created_at,
     last_updated, last_comment_at, last_comment_by)
   SELECT $2, 'acme', CASE n % 10 WHEN 3 THEN 'plan' ELSE 'document-1' END, 'annotation-' || n, n, 'comment',
     'a', '{"userId":"a"}', 's', '{"id":"s","type":"default"}', '{"type":"public"}', n, n, n, 'a'
   FROM generate_series(1, $1::int) AS n`,
  `INSERT INTO notifications (tenant_id, organization_id, notification_id, document_id, annotation_id,
     created_ms, position, source, content)
   SELECT $2, 'acme', 'notification-' || n, CASE n % 10 WHEN 3 THEN 'plan' ELSE 'document-1' END,
     'annotation-' || n, n, n, 'custom', '{"sourceData": {}, "actionUser": {"userId": "a"}, "template": "", "templateData": {},
       "body": ""}'
   FROM generate_series(1, $1::int) AS n`,
  `INSERT INTO notification_recipients
     (tenant_id, organization_id, notification_id, user_id, document_id, created_ms, position)
   SELECT tenant_id, organization_id, notification_id, 'user-' || position % 10 + 1, document_id,
     created_ms, position FROM notifications WHERE tenant_id = $2 AND position <= $1::int`,
  `INSERT INTO service_settings (tenant_id, use_advanced_webhooks)
   SELECT $2, true WHERE $1::int > 0
   ON CONFLICT (tenant_id) DO UPDATE SET use_advanced_webhooks = true`,
  `INSERT INTO webhook_endpoints
     (tenant_id, id, url, filter_types, sealed_secret, start_sequence, created_at, updated_at)
   SELECT $2, 'endpoint-' || n, 'https://example.com', '{folder.delete}', '', 0, now(), now()
   FROM generate_series(0, 9) AS n WHERE $1::int > 0`,
  `INSERT INTO webhook_deliveries (tenant_id, endpoint_id, created_at, sequence, event_id,
     event_type, status, settled_at, attempts)
   SELECT $2, 'endpoint-' || n % 10, to_timestamp(n), n, 'event-' || n, 'comment.add',
     'delivered', now(), 1
   FROM generate_series(1, $1::int) AS n`,
];

beforeAll(async () => {
  await makePlan(server);
  const editor = { organizationId, documentId, editorId: 'body', type: 'text', data: 'one' };
  await server.call('/v2/crdt/add', editor);
  const { pool } = server.app.services.db;
  await stopAutovacuum(pool);
  for (const fill of FILLS) await pool.query(fill, [ROWS, server.quickstart.apiKey]);
  for (const [what, read] of lists) unanalyzed.set(what, await mostRowsOf(read, undefined));
  await pool.query('ANALYZE');
});

/** The most rows that the first page of each list read before the tables had statistics. */
const unanalyzed = new Map<string, number>();

interface Page {
  data: unknown[];
  nextPageToken: string | undefined;
}

interface Where {
  pageSize: number;
  pageToken: string | undefined;
}

type Read = (ctx: KeyContext, where: Where) => Promise<Page>;

const activities =
  (filters: object): Read =>
  (ctx, where) =>
    getActivities(ctx, { organizationId, order: 'desc', ...filters, ...where });
const notifications =
  (filters: object): Read =>
  (ctx, where) =>
    getNotifications(ctx, { organizationId, order: 'desc', ...filters, ...where });
const deliveries =
  (filters: object): Read =>
  async (ctx, { pageSize, pageToken }) => {
    const query = { limit: pageSize, iterator: pageToken, ...filters };
    const page = await getDeliveries(ctx, query);
    return { data: page.deliveries, nextPageToken: page.iterator ?? undefined };
  };

const lists: Array<[what: string, read: Read, mostRows?: number]> = [
  ['users', (ctx, where) => getUsers(ctx, { organizationId, ...where })],
  [
    'versions',
    (ctx, where) => listVersions(ctx, { organizationId, documentId, editorId: 'body', ...where }),
  ],
  ['documents', (ctx, where) => getDocuments(ctx, { organizationId, ...where })],
  [
    'documents in a folder',
    (ctx, where) => getDocuments(ctx, { organizationId, folderId, ...where }),
  ],
  ['activities', activities({})],
  ['activities on a document', activities({ documentId })],
  ['activities of a user', activities({ userId })],
  ['notifications of a document', notifications({ documentId })],
  // An inbox reads a hundred at once, as some may be hidden.
  ['notifications in an inbox', notifications({ userId }), 500],
  // The list reads a page of each of the ten endpoints.
  ['deliveries', deliveries({}), 20 * PAGE],
  ['deliveries to an endpoint', deliveries({ endpointId })],
];

/** Reads a page, and collects the statements that it sends. */
async function readPage(read: Read, where: Where) {
  const { services } = server.app;
  const { db, statements } = recordingDatabase((statement) => services.db.query(statement));
  const ctx = { ...services, db, tenantId: server.quickstart.apiKey } as KeyContext;
  const page = await read(ctx, where);
  expect(page.data).toHaveLength(where.pageSize);
  return { ...page, statements };
}

async function mostRowsOf(read: Read, pageToken: string | undefined): Promise<number> {
  const { statements } = await readPage(read, { pageSize: PAGE, pageToken });
  const { pool } = server.app.services.db;
  const counts = [];
  for (const mode of PLAN_MODES) counts.push(await maxRowsRead(pool, statements, mode));
  return Math.max(...counts);
}

it.each(lists)('the first page of %s reads no row twice while there are no statistics', (what) => {
  expect(unanalyzed.get(what)).toBeLessThan(2 * ROWS);
});

it.each(lists)(
  'the first page of %s, and one in the middle, read few rows, however many there are',
  async (_, read, mostRows = 5 * PAGE) => {
    const { nextPageToken } = await readPage(read, { pageSize: ROWS / 20, pageToken: undefined });
    for (const pageToken of [undefined, nextPageToken]) {
      expect(await mostRowsOf(read, pageToken)).toBeLessThanOrEqual(mostRows);
    }
  },
);
