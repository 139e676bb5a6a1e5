import { z } from 'zod';
import { id } from '../../api/fields.ts';
import { consoleKeyOperation, router } from '../../api/procedures.ts';
import { sql } from '../../platform/database/database.ts';

const DAY_MS = 86_400_000;
const MAX_DAYS = 400;

const Rates = z.strictObject({
  organizationId: id.optional(),
  reviewerId: id.optional(),
  days: z.number().int().min(1).max(MAX_DAYS).default(90),
});

interface DayCount {
  /** Epoch milliseconds: the first moment of the day in UTC. */
  day: number;
  approved: number;
  rejected: number;
}

interface Judgment {
  recordId: string;
  query: string;
  decision: string;
  reasoning: string | null;
  organizationId: string | null;
  documentId: string | null;
  reviewer: { userId: string; name: string | null } | null;
  judgeType: string;
  createdAt: number;
}

export const consoleMemoryRouter = router({
  /** How many judgments were for and against their items, by day. Days without judgments are left out. */
  rates: consoleKeyOperation.input(Rates).query(async ({ ctx, input }) => {
    const { organizationId = null, reviewerId = null } = input;
    const now = ctx.clock.now();
    const from = Math.floor(now / DAY_MS) * DAY_MS - (input.days - 1) * DAY_MS;
    const days = await ctx.db.query<DayCount>(sql`
      SELECT (created_ms / ${DAY_MS}::bigint * ${DAY_MS}::bigint)::float8 AS day,
             count(*) FILTER (WHERE side = 1)::int AS approved,
             count(*) FILTER (WHERE side = -1)::int AS rejected
      FROM memory_judgments
      WHERE tenant_id = ${ctx.tenantId}
        AND created_ms >= ${from}::bigint AND created_ms <= ${now}::bigint
        AND (${organizationId}::text IS NULL OR organization_id = ${organizationId})
        AND (${reviewerId}::text IS NULL OR reviewer_id = ${reviewerId})
      GROUP BY 1 ORDER BY 1 LIMIT ${MAX_DAYS}`);
    return { days };
  }),

  /** Judgments by their ids, which `memory.judgments.query` has no filter for. */
  judgments: consoleKeyOperation
    .input(z.strictObject({ recordIds: z.array(id).min(1).max(100) }))
    .query(async ({ ctx: { db, tenantId }, input: { recordIds } }) => {
      const judgments = await db.query<Judgment>(sql`
        SELECT record_id AS "recordId", query, decision, reasoning,
               organization_id AS "organizationId", document_id AS "documentId",
               CASE WHEN reviewer_id IS NOT NULL THEN
                 json_build_object('userId', reviewer_id, 'name', reviewer_name) END AS reviewer,
               judge_type AS "judgeType", created_ms::float8 AS "createdAt"
        FROM memory_judgments WHERE tenant_id = ${tenantId} AND record_id = ANY(${recordIds})
        ORDER BY memory_judgments.created_ms DESC LIMIT 100`);
      return { judgments };
    }),
});
