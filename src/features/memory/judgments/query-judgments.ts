import type { KeyContext } from '../../../api/context.ts';
import { pageOf, readPageToken, writePageToken } from '../../../api/paging.ts';
import { empty, type Sql, sql } from '../../../platform/database/database.ts';
import type { JudgmentScope, PresentedJudgment, QueryJudgmentsInput } from './schema.ts';
import type { Stance } from './stance.ts';

export interface JudgmentRow {
  recordId: string;
  position: string;
  organizationId: string | null;
  documentId: string | null;
  query: string;
  decision: string;
  reasoning: string | null;
  reviewerId: string | null;
  reviewerName: string | null;
  judgeType: 'human' | 'agent';
  createdMs: number;
  stance: Stance;
  /** Equal for items with the same terms. */
  fingerprint: string;
}

export const judgmentColumns: Sql = sql`
  record_id AS "recordId", position, organization_id AS "organizationId",
  document_id AS "documentId", query, decision, reasoning, reviewer_id AS "reviewerId",
  reviewer_name AS "reviewerName", judge_type AS "judgeType", created_ms::float8 AS "createdMs",
  side AS stance, fingerprint::text AS fingerprint`;

export const presentJudgment = (row: JudgmentRow): PresentedJudgment => ({
  recordId: row.recordId,
  query: row.query,
  decision: row.decision,
  ...(row.reasoning !== null && { reasoning: row.reasoning }),
  ...(row.organizationId !== null && { organizationId: row.organizationId }),
  ...(row.documentId !== null && { documentId: row.documentId }),
  ...(row.reviewerId !== null && {
    reviewer: {
      userId: row.reviewerId,
      ...(row.reviewerName !== null && { name: row.reviewerName }),
    },
  }),
  judgeType: row.judgeType,
  createdAt: row.createdMs,
});

interface Fields extends JudgmentScope {
  decision?: string | undefined;
  judgeType?: string | undefined;
  reviewerId?: string | undefined;
  fingerprint?: string | undefined;
}

/** SQL: the condition that a judgment is of the tenant, and has the given fields. */
export function haveFields(tenantId: string, fields: Fields): Sql {
  const andEquals = (column: Sql, value: string | undefined) =>
    value === undefined ? empty : sql`AND ${column} = ${value}`;
  return sql`
    tenant_id = ${tenantId}
    ${andEquals(sql`organization_id`, fields.organizationId)} ${andEquals(sql`document_id`, fields.documentId)}
    ${andEquals(sql`decision`, fields.decision)} ${andEquals(sql`judge_type`, fields.judgeType)}
    ${andEquals(sql`reviewer_id`, fields.reviewerId)} ${andEquals(sql`fingerprint`, fields.fingerprint)}`;
}

/** The largest total, because counting more would take longer than reading a page. */
const MAX_TOTAL = 10_000;

/** Returns a page of judgments, the newest first, and the total. */
export async function queryJudgments(ctx: KeyContext, input: QueryJudgmentsInput) {
  const { limit, pageToken, ...filters } = input;
  const paged = { operation: 'memory.judgments.query', tenantId: ctx.tenantId, filters };
  const after = readPageToken(ctx.secrets, paged, pageToken);
  const condition = haveFields(ctx.tenantId, filters);
  const following = after
    ? sql`AND (created_ms, position) < (${after[0]}::bigint, ${after[1]}::bigint)`
    : empty;
  const found = await ctx.db.query<JudgmentRow>(sql`
    SELECT ${judgmentColumns} FROM memory_judgments WHERE ${condition} ${following}
    ORDER BY memory_judgments.created_ms DESC, memory_judgments.position DESC LIMIT ${limit + 1}`);
  const [counted] = await ctx.db.query<{ total: number }>(sql`
    SELECT count(*)::int AS total
    FROM (SELECT 1 FROM memory_judgments WHERE ${condition} LIMIT ${MAX_TOTAL}) AS counted`);
  const { rows, nextPageToken } = pageOf(found, limit, (last) =>
    writePageToken(ctx.secrets, paged, [String(last.createdMs), last.position]),
  );
  const data = { results: rows.map(presentJudgment), total: counted?.total ?? 0 };
  return { data, nextPageToken };
}
