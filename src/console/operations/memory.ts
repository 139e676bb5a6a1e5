import { z } from 'zod';
import { id } from '../../api/fields.ts';
import { consoleKeyOperation, router } from '../../api/procedures.ts';
import { hasFields, judgmentColumn } from '../../features/memory/judgments/query-judgments.ts';
import type { PresentedJudgment } from '../../features/memory/judgments/schema.ts';
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

export const consoleMemoryRouter = router({
  /** How many judgments were for and against their items, by day. Days without judgments are left out. */
  rates: consoleKeyOperation.input(Rates).query(async ({ ctx, input }) => {
    const { days: dayCount, ...fields } = input;
    const now = ctx.clock.now();
    const from = Math.floor(now / DAY_MS) * DAY_MS - (dayCount - 1) * DAY_MS;
    const days = await ctx.db.query<DayCount>(sql`
      SELECT (created_ms / ${DAY_MS}::bigint * ${DAY_MS}::bigint)::float8 AS day,
             count(*) FILTER (WHERE side = 1)::int AS approved,
             count(*) FILTER (WHERE side = -1)::int AS rejected
      FROM memory_judgments
      WHERE ${hasFields(ctx.tenantId, fields)}
        AND created_ms >= ${from}::bigint AND created_ms <= ${now}::bigint
      GROUP BY 1 ORDER BY 1 LIMIT ${MAX_DAYS}`);
    return { days };
  }),

  /** Judgments by their ids. `memory.judgments.query` cannot filter by id. */
  judgments: consoleKeyOperation
    .input(z.strictObject({ recordIds: z.array(id).min(1).max(100) }))
    .query(async ({ ctx: { db, tenantId }, input: { recordIds } }) => {
      const found = await db.query<{ judgment: PresentedJudgment }>(sql`
        SELECT ${judgmentColumn} FROM memory_judgments
        WHERE tenant_id = ${tenantId} AND record_id = ANY(${recordIds})
        ORDER BY memory_judgments.created_ms DESC LIMIT 100`);
      return { judgments: found.map(({ judgment }) => judgment) };
    }),
});
