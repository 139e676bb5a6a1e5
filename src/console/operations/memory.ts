import { z } from 'zod';
import type { RequestContext } from '../../api/context.ts';
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

const JudgmentsByIds = z.strictObject({ recordIds: z.array(id).min(1).max(100) });

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
  /** How many judgments were for and against their items, by day. Days without any are left out. */
  rates: consoleKeyOperation
    .input(Rates)
    .query(async ({ ctx, input }) => ({ days: await countByDay(ctx, ctx.tenantId, input) })),

  /** Judgments by their ids, which `memory.judgments.query` has no filter for. */
  judgments: consoleKeyOperation.input(JudgmentsByIds).query(async ({ ctx, input }) => ({
    judgments: await readJudgments(ctx, ctx.tenantId, input.recordIds),
  })),
});

type Context = Pick<RequestContext, 'db' | 'clock'>;

function countByDay(
  { db, clock }: Context,
  tenantId: string,
  { organizationId, reviewerId, days }: z.infer<typeof Rates>,
): Promise<DayCount[]> {
  const now = clock.now();
  const from = Math.floor(now / DAY_MS) * DAY_MS - (days - 1) * DAY_MS;
  return db.query<DayCount>(sql`
    SELECT (created_ms / ${DAY_MS}::bigint * ${DAY_MS}::bigint)::float8 AS day,
           count(*) FILTER (WHERE side = 1)::int AS approved,
           count(*) FILTER (WHERE side = -1)::int AS rejected
    FROM memory_judgments
    WHERE tenant_id = ${tenantId} AND created_ms >= ${from}::bigint AND created_ms <= ${now}::bigint
      AND (${organizationId ?? null}::text IS NULL OR organization_id = ${organizationId ?? null})
      AND (${reviewerId ?? null}::text IS NULL OR reviewer_id = ${reviewerId ?? null})
    GROUP BY 1 ORDER BY 1 LIMIT ${MAX_DAYS}`);
}

function readJudgments(
  { db }: Context,
  tenantId: string,
  recordIds: string[],
): Promise<Judgment[]> {
  return db.query<Judgment>(sql`
    SELECT record_id AS "recordId", query, decision, reasoning,
           organization_id AS "organizationId", document_id AS "documentId",
           CASE WHEN reviewer_id IS NOT NULL THEN
             json_build_object('userId', reviewer_id, 'name', reviewer_name) END AS reviewer,
           judge_type AS "judgeType", created_ms::float8 AS "createdAt"
    FROM memory_judgments WHERE tenant_id = ${tenantId} AND record_id = ANY(${recordIds})
    ORDER BY memory_judgments.created_ms DESC LIMIT 100`);
}
