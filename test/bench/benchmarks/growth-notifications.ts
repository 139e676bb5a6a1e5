import type { Client } from 'pg';
import { locationHash } from '../../../src/features/notifications/insert-notifications.ts';
import { filtered, growthOfLists, type Tables } from '../growth/lists.ts';
import { pageTokenAfter } from '../growth/page-tokens.ts';
import { fillBy, ORGANIZATION } from '../harness/fill.ts';

const path = '/v2/notifications/get';
const UNREAD = '/v2/notifications/unread/count/get';
const organizationId = 'acme';
const documentId = 'document-3';
const locationId = 'location-3';
const userId = 'user-3';
/** The newest notifications, which nobody has read. */
const UNREAD_NOTIFICATIONS = 500;

function tables(count: number): Tables {
  const data = { organizationId, pageSize: 50 };
  const middle = Math.floor(count / 2);
  const inbox = { locationId: undefined, userId, notificationIds: undefined, order: 'desc' };
  const pageToken = pageTokenAfter(
    'notifications.get',
    { organizationId, documentId: undefined, ...inbox },
    [String(middle), String(middle)],
  );
  const notificationIds = Array.from({ length: 30 }, (_, n) => `notification-${n * 10 + 3}`);
  const lines = (filters: Record<string, object>) => filtered(path, data, filters);
  return {
    'Notifications of a document': lines({
      all: { documentId },
      'at a location': { documentId, locationId },
      '30 by id': { documentId, notificationIds },
      'oldest first': { documentId, order: 'asc' },
    }),
    'The inbox of a user': {
      ...lines({
        all: { userId },
        'page in the middle': { userId, pageToken },
        'of a document': { userId, documentId },
        'at a location': { userId, locationId },
        'of a document at a location': { userId, documentId, locationId },
        '30 by id': { userId, notificationIds },
      }),
      'number of 50 unread': { path: UNREAD, data: { organizationId, userId } },
    },
  };
}

/** Each notification has two recipients of ten. */
const fill = (database: Client, count: number) =>
  fillBy(database, count, [
    ORGANIZATION,
    `INSERT INTO documents (tenant_id, organization_id, document_id, document_name)
     SELECT :tenant, 'acme', 'document-' || n, 'Document' FROM generate_series(0, 9) AS n`,
    `INSERT INTO users (tenant_id, user_id)
     SELECT :tenant, 'user-' || n FROM generate_series(0, 9) AS n`,
    `INSERT INTO grants
       (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
     SELECT :tenant, 'acme', 'organization', 'acme', 'user-' || n, 'viewer'
     FROM generate_series(0, 9) AS n`,
    `INSERT INTO notifications (tenant_id, organization_id, notification_id, document_id,
       location_id, location_hash, created_ms, position, source, content)
     SELECT :tenant, 'acme', 'notification-' || n, 'document-' || n % 10, 'location-' || n % 10,
       (ARRAY[${hashes()}])[n % 10 + 1], n, n, 'custom',
       '{"sourceData": {}, "actionUser": {"userId": "user-1"}, "template": "News",
         "templateData": {}, "body": "There is news."}'
     FROM generate_series(0, :count - 1) AS n`,
    `INSERT INTO notification_recipients (tenant_id, organization_id, notification_id, user_id,
       document_id, location_hash, created_ms, position, read_ms)
     SELECT :tenant, 'acme', 'notification-' || n, 'user-' || (n + r * 5) % 10,
       'document-' || n % 10, (ARRAY[${hashes()}])[n % 10 + 1], n, n,
       CASE WHEN n < :count - ${UNREAD_NOTIFICATIONS / 2} THEN n END
     FROM generate_series(0, :count - 1) AS n, generate_series(0, 1) AS r`,
  ]);

const hashes = () =>
  Array.from({ length: 10 }, (_, n) => `'${locationHash(`location-${n}`)}'`).join(', ');

export default growthOfLists({
  name: 'growth-notifications',
  sizeOf: 'notifications',
  fill,
  tables,
});
