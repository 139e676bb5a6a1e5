import { type Sql, sql } from '../../../platform/database/database.ts';
import type { PresentedJudgment } from './schema.ts';
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

/** The judgment as read operations present it. */
export const presentJudgment = (row: JudgmentRow): PresentedJudgment => ({
  recordId: row.recordId,
  query: row.query,
  decision: row.decision,
  ...(row.reasoning !== null && { reasoning: row.reasoning }),
  ...(row.organizationId !== null && { organizationId: row.organizationId }),
  ...(row.documentId !== null && { documentId: row.documentId }),
  ...(row.reviewerId !== null && { reviewer: reviewerOf(row.reviewerId, row.reviewerName) }),
  judgeType: row.judgeType,
  createdAt: row.createdMs,
});

const reviewerOf = (userId: string, name: string | null) => ({
  userId,
  ...(name !== null && { name }),
});
