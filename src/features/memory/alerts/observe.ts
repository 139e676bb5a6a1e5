import { type Queryable, sql } from '../../../platform/database/database.ts';
import {
  COUNTED_DAYS,
  DAY_MS,
  type DayCount,
  type ItemCount,
  MONTH_DAYS,
  type Observed,
  REMEMBERED_DAYS,
} from './detect/finding.ts';

/** Items that were judged less often prove nothing by themselves. */
const MIN_REPEATED = 4;
const MAX_ITEMS = 10_000;

/** Counts judgments by day and by item for the detectors, with two statements. */
export async function observe(db: Queryable, tenantId: string, now: number): Promise<Observed> {
  const ago = (days: number) => now - days * DAY_MS;
  const days = await db.query<DayCount>(sql`
    SELECT ((${now}::bigint - created_ms) / ${DAY_MS}::bigint)::int AS "daysAgo",
           organization_id AS "organizationId", reviewer_id AS "reviewerId",
           count(*) FILTER (WHERE side = 1)::int AS approved,
           count(*) FILTER (WHERE side = -1)::int AS rejected, count(*)::int AS judged
    FROM memory_judgments
    WHERE tenant_id = ${tenantId} AND created_ms > ${ago(COUNTED_DAYS)}::bigint
      AND created_ms <= ${now}::bigint
    GROUP BY 1, 2, 3`);
  const items = await db.query<ItemCount>(sql`
    WITH recent AS (
      SELECT fingerprint, min(query) AS query, count(*) FILTER (WHERE side = 1)::int AS approved,
             count(*) FILTER (WHERE side = -1)::int AS rejected
      FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND created_ms > ${ago(MONTH_DAYS)}::bigint
        AND created_ms <= ${now}::bigint AND side <> 0
      GROUP BY fingerprint HAVING count(*) >= ${MIN_REPEATED}
      ORDER BY count(*) DESC, fingerprint LIMIT ${MAX_ITEMS}
    )
    SELECT fingerprint::text, query, approved AS "recentApproved", rejected AS "recentRejected",
           "olderApproved", "olderRejected"
    FROM recent CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE side = 1)::int AS "olderApproved",
             count(*) FILTER (WHERE side = -1)::int AS "olderRejected"
      FROM memory_judgments AS older
      WHERE older.tenant_id = ${tenantId} AND older.fingerprint = recent.fingerprint
        AND older.created_ms > ${ago(REMEMBERED_DAYS)}::bigint
        AND older.created_ms <= ${ago(MONTH_DAYS)}::bigint
    ) AS before
    ORDER BY fingerprint`);
  return { now, days, items };
}
