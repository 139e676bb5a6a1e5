import type { KeyContext } from '../../api/context.ts';
import { type Sql, sql } from '../../platform/database/database.ts';
import { isIncluded } from '../comments/visibility/rule-sql.ts';

/** SQL: joins the annotation `a` that the notification `n` is about, as it is now. */
export const joinSource = (tenantId: string): Sql => sql`
    LEFT JOIN comment_annotations a ON a.tenant_id = ${tenantId}
      AND a.annotation_id = n.annotation_id AND a.organization_id = n.organization_id
      AND a.document_id = n.document_id`;

/** SQL: the notification has no source annotation, or the annotation still exists. */
export const sourceExists: Sql = sql`(n.annotation_id IS NULL OR a.annotation_id IS NOT NULL)`;

/**
 * SQL: the visibility of the source annotation, as it is now, includes the user. This is step 3 of
 * the rule in comments/visibility. Document and access context, steps 1 and 2, are checked for all
 * notifications alike, by `filterOnDocuments`.
 */
export const isSourceIncluded = (
  ctx: Pick<KeyContext, 'tenantId' | 'clock'>,
  userId: string,
): Sql => sql`(n.annotation_id IS NULL
      OR (a.annotation_id IS NOT NULL AND ${isIncluded(ctx, userId)}))`;
