import { z } from 'zod';
import { id } from '../../api/fields.ts';
import { consoleKeyOperation, router } from '../../api/procedures.ts';
import { sql } from '../../platform/database/database.ts';

/** How many of the newest events one call looks through. */
const MAX_SCANNED = 20_000;
/** How many events of a thread are returned at most. */
const MAX_EVENTS = 200;
/** How many records on each side of a position in a chain are returned. */
const NEIGHBOURS = 4;

interface ThreadEvent {
  id: string;
  type: string;
  at: number;
  actionUser: { userId: string; name?: string } | null;
  status: string | null;
  previousStatus: string | null;
  icon: string | null;
}

const ChainPart = z.strictObject({
  organizationId: id,
  position: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
});

interface ChainRecord {
  position: number;
  actionType: string;
  userId: string | null;
  at: number;
  previousHash: string;
  hash: string;
}

/** The operations for the console's page Feedback, in addition to those of the API. */
export const consoleFeedbackRouter = router({
  /** The history of a thread, newest event first. Only the newest `MAX_SCANNED` events of the key are searched. */
  history: consoleKeyOperation
    .input(z.strictObject({ organizationId: id, documentId: id, annotationId: id }))
    .query(async ({ ctx: { db, tenantId }, input }) => {
      const events = await db.query<ThreadEvent>(sql`
        WITH recent AS MATERIALIZED (
          SELECT id, type, data, organization_id, document_id, created_at, sequence FROM events
          WHERE tenant_id = ${tenantId} ORDER BY events.sequence DESC LIMIT ${MAX_SCANNED}
        ), thread AS MATERIALIZED (
          SELECT id, type, data, created_at, sequence FROM recent
          WHERE organization_id = ${input.organizationId} AND document_id = ${input.documentId}
            AND type ~ '^comment(_annotation)?\\.'
        )
        SELECT id, type, floor(extract(epoch FROM created_at) * 1000)::float8 AS at,
               CASE WHEN data->'actionUser'->>'userId' IS NOT NULL THEN json_strip_nulls(
                 json_build_object('userId', data->'actionUser'->>'userId',
                                   'name', data->'actionUser'->>'name')) END AS "actionUser",
               data->'status'->>'name' AS status,
               data->'previous'->'status'->>'name' AS "previousStatus",
               data->'reaction'->>'icon' AS icon
        FROM thread WHERE data->>'annotationId' = ${input.annotationId}
        ORDER BY thread.sequence DESC LIMIT ${MAX_EVENTS}`);
      return { events };
    }),

  /** The records around a position of an activity chain. `activities.get` cannot filter by position. */
  chain: consoleKeyOperation
    .input(ChainPart)
    .query(async ({ ctx: { db, tenantId }, input: { organizationId, position } }) => {
      const records = await db.query<ChainRecord>(sql`
        SELECT position::float8 AS position, action_type AS "actionType", user_id AS "userId",
               floor(extract(epoch FROM created_at) * 1000)::float8 AS at,
               previous_hash AS "previousHash", hash
        FROM activities
        WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
          AND position BETWEEN ${position - NEIGHBOURS} AND ${position + NEIGHBOURS}
        ORDER BY activities.position LIMIT ${2 * NEIGHBOURS + 1}`);
      return { records };
    }),
});
