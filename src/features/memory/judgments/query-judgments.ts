import type { KeyContext } from '../../../api/context.ts';
import { pageOf, readPageToken, writePageToken } from '../../../api/paging.ts';
import { empty, type Sql, sql } from '../../../platform/database/database.ts';
import type { JudgmentScope, PresentedJudgment, QueryJudgmentsInput } from './schema.ts';

/** SQL for the column `judgment`, with the judgment as callers receive it. */
export const judgmentColumn: Sql = sql`
  json_strip_nulls(json_build_object(
    'recordId', record_id, 'query', query, 'decision', decision, 'reasoning', reasoning,
    'organizationId', organization_id, 'documentId', document_id,
    'reviewer', CASE WHEN reviewer_id IS NOT NULL THEN
      json_build_object('userId', reviewer_id, 'name', reviewer_name) END,
    'judgeType', judge_type, 'createdAt', created_ms)) AS judgment`;

interface JudgmentFields extends JudgmentScope {
  decision?: string | undefined;
  judgeType?: string | undefined;
  reviewerId?: string | undefined;
  fingerprint?: string | undefined;
}

/** SQL: whether a judgment belongs to the tenant and has the given fields. */
export function hasFields(tenantId: string, fields: JudgmentFields): Sql {
  const andEquals = (column: Sql, value: string | undefined) =>
    value === undefined ? empty : sql`AND ${column} = ${value}`;
  return sql`
    tenant_id = ${tenantId}
    ${andEquals(sql`organization_id`, fields.organizationId)} ${andEquals(sql`document_id`, fields.documentId)}
    ${andEquals(sql`decision`, fields.decision)} ${andEquals(sql`judge_type`, fields.judgeType)}
    ${andEquals(sql`reviewer_id`, fields.reviewerId)} ${andEquals(sql`fingerprint`, fields.fingerprint)}`;
}

/** The largest total that is counted: counting more would take longer than reading a page. */
const MAX_TOTAL = 10_000;

/** Returns a page of judgments, the newest first, and the total. */
export async function queryJudgments(ctx: KeyContext, input: QueryJudgmentsInput) {
  const { limit, pageToken, ...filters } = input;
  const pageQuery = { operation: 'memory.judgments.query', tenantId: ctx.tenantId, filters };
  const after = readPageToken(ctx.secrets, pageQuery, pageToken);
  const condition = hasFields(ctx.tenantId, filters);
  const following = after
    ? sql`AND (created_ms, position) < (${after[0]}::bigint, ${after[1]}::bigint)`
    : empty;
  const found = await ctx.db.query<{ judgment: PresentedJudgment; position: string }>(sql`
    SELECT ${judgmentColumn}, position FROM memory_judgments WHERE ${condition} ${following}
    ORDER BY memory_judgments.created_ms DESC, memory_judgments.position DESC LIMIT ${limit + 1}`);
  const [counted] = await ctx.db.query<{ total: number }>(sql`
    SELECT count(*)::int AS total
    FROM (SELECT 1 FROM memory_judgments WHERE ${condition} LIMIT ${MAX_TOTAL}) AS counted`);
  const { rows, nextPageToken } = pageOf(found, limit, ({ judgment, position }) =>
    writePageToken(ctx.secrets, pageQuery, [String(judgment.createdAt), position]),
  );
  const data = { results: rows.map(({ judgment }) => judgment), total: counted?.total ?? 0 };
  return { data, nextPageToken };
}
