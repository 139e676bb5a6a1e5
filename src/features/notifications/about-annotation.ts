import type { KeyContext } from '../../api/context.ts';
import { type Sql, sql } from '../../platform/database/database.ts';
import { isIncluded } from '../comments/visibility/rule-sql.ts';

/** SQL: the annotation `a` that the notification `n` is about, as it is now. */
export const withAnnotation = (tenantId: string): Sql => sql`
    LEFT JOIN comment_annotations a ON a.tenant_id = ${tenantId}
      AND a.annotation_id = n.annotation_id AND a.organization_id = n.organization_id
      AND a.document_id = n.document_id`;

/** SQL: what the notification is about was not deleted. */
export const isThere: Sql = sql`(n.annotation_id IS NULL OR a.annotation_id IS NOT NULL)`;

/**
 * SQL: what the notification is about is there, and its visibility, as it is now, lets the user see
 * it. Its access context is not asked, and goes with that of other notifications.
 */
export const isShownTo = (
  ctx: Pick<KeyContext, 'tenantId' | 'clock'>,
  userId: string,
): Sql => sql`(n.annotation_id IS NULL
      OR (a.annotation_id IS NOT NULL AND ${isIncluded(ctx, userId)}))`;
