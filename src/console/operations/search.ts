import { z } from 'zod';
import { consoleKeyOperation, router } from '../../api/procedures.ts';
import { deliveryIdOf } from '../../features/webhooks/deliveries/delivery-id.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';

/** How many of the newest threads a search scans, and how many of the newest deliveries of each endpoint. */
const MAX_SCANNED = 5_000;
const MAX_FOUND = 8;

interface Found {
  kind: 'thread' | 'delivery';
  id: string;
  /** The text of a thread's first comment, or the type of a delivery's event. */
  name: string;
  /** The document of a thread, or the endpoint of a delivery. */
  where: string;
}

export const searchRouter = router({
  /**
   * Threads by their ids and the texts of their first comments, and deliveries by their event, endpoint
   * and ids. The newest come first, at most eight of each.
   */
  find: consoleKeyOperation
    .input(z.strictObject({ q: z.string().trim().min(2).max(256) }))
    .query(async ({ ctx: { db, tenantId }, input: { q } }) => {
      const lists = await Promise.all([
        findThreads(db, tenantId, q),
        findDeliveries(db, tenantId, q),
      ]);
      return { found: lists.flat() };
    }),
});

const findThreads = (db: Queryable, tenantId: string, q: string): Promise<Found[]> =>
  db.query<Found>(sql`
    WITH newest AS MATERIALIZED (
      SELECT annotation_id, document_id, last_updated FROM comment_annotations
      WHERE tenant_id = ${tenantId} AND annotation_id = ${q}
      UNION
      (SELECT annotation_id, document_id, last_updated FROM comment_annotations
       WHERE tenant_id = ${tenantId}
       ORDER BY comment_annotations.last_updated DESC, annotation_id DESC LIMIT ${MAX_SCANNED})
    )
    SELECT 'thread' AS kind, newest.annotation_id AS id, newest.document_id AS "where",
           left(coalesce(first.text, newest.annotation_id), 120) AS name
    FROM newest LEFT JOIN LATERAL (
      SELECT content->>'commentText' AS text FROM comments
      WHERE comments.tenant_id = ${tenantId} AND comments.annotation_id = newest.annotation_id
      ORDER BY comments.comment_id LIMIT 1
    ) AS first ON true
    WHERE newest.annotation_id = ${q} OR strpos(lower(first.text), lower(${q})) > 0
    ORDER BY newest.annotation_id = ${q} DESC, newest.last_updated DESC, newest.annotation_id DESC
    LIMIT ${MAX_FOUND}`);

/** Finds deliveries. Their ids contain the ids of their events, so both kinds of ids in `q` are found. */
async function findDeliveries(db: Queryable, tenantId: string, q: string): Promise<Found[]> {
  type Row = { endpointId: string; createdAt: Date; eventId: string; name: string; where: string };
  const rows = await db.query<Row>(sql`
    SELECT recent.endpoint_id AS "endpointId", recent.created_at AS "createdAt",
           recent.event_id AS "eventId", recent.event_type AS name,
           coalesce(nullif(endpoint.description, ''), endpoint.url, recent.endpoint_id) AS "where"
    FROM webhook_queues AS queue
    CROSS JOIN LATERAL (
      SELECT endpoint_id, created_at, event_id, event_type FROM webhook_deliveries
      WHERE webhook_deliveries.tenant_id = ${tenantId}
        AND webhook_deliveries.endpoint_id = queue.endpoint_id
      ORDER BY webhook_deliveries.created_at DESC, webhook_deliveries.sequence DESC
      LIMIT ${MAX_SCANNED}
    ) AS recent
    LEFT JOIN webhook_endpoints AS endpoint
      ON endpoint.tenant_id = ${tenantId} AND endpoint.id = queue.endpoint_id
    WHERE queue.tenant_id = ${tenantId}
      AND (strpos(${q}, recent.event_id) > 0 OR strpos(lower(concat_ws(' ', recent.event_type,
           endpoint.description, endpoint.url)), lower(${q})) > 0)
    ORDER BY recent.created_at DESC LIMIT ${MAX_FOUND}`);
  return rows.map(({ name, where, ...key }) => {
    return { kind: 'delivery', id: deliveryIdOf(key), name, where };
  });
}
