import type { Client } from 'pg';
import { filtered, growthOfLists, type Tables } from '../growth/lists.ts';
import { pageTokenAfter } from '../growth/page-tokens.ts';
import { fillBy, ORGANIZATION } from '../harness/fill.ts';

const path = '/v2/activities/get';
const organizationId = 'acme';
const documentId = 'document-3';
const userId = 'user-3';

function tables(count: number): Tables {
  const data = { organizationId, pageSize: 50 };
  const pageToken = pageTokenAfter('activities.get', { organizationId, order: 'desc' }, [
    String(Math.floor(count / 2)),
  ]);
  const lines = (filters: Record<string, object>) => filtered(path, data, filters);
  return {
    'Activities: one filter': lines({
      'newest first': {},
      'oldest first': { order: 'asc' },
      'page in the middle': { pageToken },
      'of a document': { documentId },
      'of a user': { userId },
      'of a kind': { featureTypes: ['comment'] },
      'of an action': { actionTypes: ['comment.add'] },
    }),
    'Activities: several filters': lines({
      'of two kinds': { featureTypes: ['comment', 'document'] },
      'of a user on a document': { userId, documentId },
      'of a kind and an action': { featureTypes: ['comment'], actionTypes: ['comment.add'] },
      'of two rare actions': { actionTypes: ['invoice.add', 'invoice.delete'] },
      'of a user, a rare action': { userId, actionTypes: ['invoice.add'] },
      'of a document, a rare action': { documentId, actionTypes: ['invoice.add'] },
    }),
  };
}

/** Ten activities have a rare action, and are of one user and document; one in ten others is too. */
const fill = (database: Client, count: number) =>
  fillBy(database, count, [
    ORGANIZATION,
    `INSERT INTO activities (tenant_id, organization_id, position, id, document_id, feature_type,
       action_type, user_id, content, is_immutable, created_at, previous_hash, hash, content_hash,
       content_salt)
     SELECT :tenant, 'acme', n, 'activity-' || n, 'document-' || n % 10,
       (ARRAY['comment', 'document'])[n % 2 + 1],
       CASE n % (:count / 10) WHEN 3 THEN 'invoice.add' WHEN 4 THEN 'invoice.delete'
         ELSE (ARRAY['comment.add', 'document.update'])[n % 2 + 1] END,
       'user-' || n % 10, '{"displayMessageTemplate": "Something happened."}', true, now(),
       repeat('0', 64), repeat('0', 64), repeat('0', 64), repeat('0', 32)
     FROM generate_series(1, :count) AS n`,
  ]);

export default growthOfLists({ name: 'growth-activities', sizeOf: 'activities', fill, tables });
