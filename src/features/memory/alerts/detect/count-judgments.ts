import { type Queryable, sql } from '../../../../platform/database/database.ts';
import { NO_ITEM } from '../../text/term-keys.ts';
import type { Tally } from './statistics.ts';

export const DAY_MS = 86_400_000;
/** The recent periods that detectors compare with the time before. */
export const WEEK_DAYS = 7;
export const MONTH_DAYS = 30;
/** Older judgments of an item count as its precedent if they are at most this old. */
const PRECEDENT_DAYS = 365;
/** The fewest judgments of an item in a month that can show a conflict or a change. */
export const MIN_REPEATED = 4;
/** The most items that are examined, those with the most judgments first. */
const MAX_ITEMS = 10_000;

/** The number of judgments per day, organization and reviewer. */
export interface DayCount extends Tally {
  /** 0: the last 24 hours. */
  daysAgo: number;
  organizationId: string | null;
  reviewerId: string | null;
  /** All judgments, including neutral ones. */
  judged: number;
}

/** The number of judgments of near-identical items, which have the same words. */
export interface ItemCount {
  fingerprint: string;
  query: string;
  /** In the last 30 days, and before them. */
  recent: Tally;
  older: Tally;
}

export interface JudgmentCounts {
  now: number;
  days: DayCount[];
  items: ItemCount[];
}

/** Counts judgments by day and by item, with two statements. */
export async function countJudgments(
  db: Queryable,
  tenantId: string,
  now: number,
): Promise<JudgmentCounts> {
  const ago = (days: number) => now - days * DAY_MS;
  const days = await db.query<DayCount>(sql`
    SELECT ((${now}::bigint - created_ms) / ${DAY_MS}::bigint)::int AS "daysAgo",
           organization_id AS "organizationId", reviewer_id AS "reviewerId",
           count(*) FILTER (WHERE side = 1)::int AS approved,
           count(*) FILTER (WHERE side <> 0)::int AS decided, count(*)::int AS judged
    FROM memory_judgments
    WHERE tenant_id = ${tenantId} AND created_ms > ${ago(WEEK_DAYS + MONTH_DAYS)}::bigint
      AND created_ms <= ${now}::bigint
    GROUP BY 1, 2, 3`);
  const tally = sql`json_build_object(
    'approved', count(*) FILTER (WHERE side = 1), 'decided', count(*))`;
  const items = await db.query<ItemCount>(sql`
    WITH repeated AS (
      SELECT fingerprint, min(query) AS query, ${tally} AS recent
      FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND created_ms > ${ago(MONTH_DAYS)}::bigint
        AND created_ms <= ${now}::bigint AND side <> 0 AND fingerprint <> ${NO_ITEM}::bigint
      GROUP BY fingerprint HAVING count(*) >= ${MIN_REPEATED}
      ORDER BY count(*) DESC, fingerprint LIMIT ${MAX_ITEMS}
    )
    SELECT fingerprint::text, query, recent, (
      SELECT ${tally} FROM memory_judgments AS older
      WHERE older.tenant_id = ${tenantId} AND older.fingerprint = repeated.fingerprint
        AND older.created_ms > ${ago(PRECEDENT_DAYS)}::bigint
        AND older.created_ms <= ${ago(MONTH_DAYS)}::bigint AND side <> 0) AS older
    FROM repeated ORDER BY fingerprint`);
  return { now, days, items };
}
