import { z } from 'zod';
import { id } from '../../api/fields.ts';
import { readPageToken, writePageToken } from '../../api/paging.ts';
import { consoleKeyOperation, router } from '../../api/procedures.ts';
import { deliveryIdOf } from '../../features/webhooks/deliveries/delivery-id.ts';
import { sql } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { type LoggedEvent, loggedColumns } from '../../platform/events/logged-events.ts';

/** How many events one call looks through. Filters have no index, so finding a rare match takes several calls. */
const MAX_SCANNED = 10_000;

interface EventSummary {
  id: string;
  type: string;
  organizationId: string | null;
  documentId: string | null;
  at: number;
}

const ListEvents = z.strictObject({
  types: z.array(z.string().max(100)).max(100).default([]),
  organizationId: id.optional(),
  documentId: id.optional(),
  limit: z.number().int().min(1).max(500).default(100),
  pageToken: z.string().max(4096).optional(),
});

interface DeliveryOfEvent {
  endpointId: string;
  /** The name that its owner gave the endpoint. */
  description: string | null;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
}

export const consoleEventsRouter = router({
  /**
   * Lists the newest events first, unlike `events.get`, which begins with the oldest. Presence events, the most
   * frequent ones, are left out unless their types are named. The page with the oldest event that is still stored has
   * no token for a next page.
   */
  list: consoleKeyOperation.input(ListEvents).query(async ({ ctx, input }) => {
    const { db, secrets, tenantId } = ctx;
    const { pageToken, limit, ...filters } = input;
    const query = { operation: 'console.events.list', tenantId, filters };
    const [from = null] = readPageToken(secrets, query, pageToken) ?? [];
    const types = filters.types.length > 0 ? filters.types : null;
    const { organizationId = null, documentId = null } = filters;
    type Match = EventSummary & { sequence: string };
    type Scan = { scanned: number; oldest: string | null; matches: Match[] };
    const [scan] = await db.query<Scan>(sql`
      WITH recent AS MATERIALIZED (
        SELECT id, type, organization_id, document_id, created_at, sequence FROM events
        WHERE tenant_id = ${tenantId} AND (${from}::bigint IS NULL OR sequence < ${from}::bigint)
        ORDER BY events.sequence DESC LIMIT ${MAX_SCANNED}
      ), matching AS (
        SELECT id, type, organization_id AS "organizationId", document_id AS "documentId",
               floor(extract(epoch FROM created_at) * 1000)::float8 AS at, sequence::text
        FROM recent
        WHERE CASE WHEN ${types}::text[] IS NULL THEN type NOT LIKE 'presence.%'
                   ELSE type = ANY(${types}::text[]) END
          AND (${organizationId}::text IS NULL OR organization_id = ${organizationId})
          AND (${documentId}::text IS NULL OR document_id = ${documentId})
        ORDER BY recent.sequence DESC LIMIT ${limit + 1}
      )
      SELECT count(*)::int AS scanned, min(sequence)::text AS oldest,
             (SELECT coalesce(json_agg(matching ORDER BY matching.sequence::bigint DESC), '[]')
              FROM matching) AS matches
      FROM recent`);
    const { scanned = 0, oldest = null, matches = [] } = scan ?? {};
    const page = matches.slice(0, limit);
    // A scan of fewer events has reached the end of the log.
    const oldestScanned = scanned < MAX_SCANNED ? null : oldest;
    // If one more event matches than the page holds, the next page begins after this page. Otherwise, it
    // begins after the oldest event that was scanned.
    const last = matches.length > limit ? page.at(-1)?.sequence : oldestScanned;
    return {
      data: page.map(({ sequence: _, ...event }) => event),
      nextPageToken: last == null ? undefined : writePageToken(secrets, query, [last]),
    };
  }),

  /** One event by its id, with its deliveries to all endpoints. */
  inspect: consoleKeyOperation
    .input(z.strictObject({ eventId: id }))
    .query(async ({ ctx: { db, tenantId }, input: { eventId } }) => {
      const [event] = await db.query<LoggedEvent>(sql`
        SELECT ${loggedColumns()} FROM events
        WHERE tenant_id = ${tenantId} AND id = ${eventId} LIMIT 1`);
      if (!event)
        throw new AppError('NOT_FOUND', 'The event does not exist, or is no longer stored.');
      const { sequence, createdAt, ...shown } = event;
      const deliveries = await db.query<DeliveryOfEvent>(sql`
        SELECT queue.endpoint_id AS "endpointId", endpoint.description,
               delivery.status, delivery.attempts
        FROM webhook_queues AS queue
        JOIN webhook_deliveries AS delivery
          ON delivery.tenant_id = ${tenantId} AND delivery.endpoint_id = queue.endpoint_id
         AND delivery.created_at = ${createdAt} AND delivery.sequence = ${sequence}::bigint
        LEFT JOIN webhook_endpoints AS endpoint
          ON endpoint.tenant_id = ${tenantId} AND endpoint.id = queue.endpoint_id
        WHERE queue.tenant_id = ${tenantId} ORDER BY queue.endpoint_id LIMIT 200`);
      return {
        ...shown,
        at: createdAt.getTime(),
        deliveries: deliveries.map((one) => ({
          ...one,
          id: deliveryIdOf({ endpointId: one.endpointId, createdAt, eventId }),
        })),
      };
    }),
});
