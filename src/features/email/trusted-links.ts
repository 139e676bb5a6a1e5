import { isAllowedOrigin } from '../../api/credentials/allowed-domains.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';

/**
 * Whether a user wrote a comment, or began an annotation if none is named, as opposed to the
 * customer's server.
 */
export type WrittenByUsers = (annotationId: string, commentId?: number) => boolean;

/** Runs one statement for any number of annotations. */
export async function loadWrittenByUsers(
  db: Queryable,
  tenantId: string,
  annotationIds: string[],
): Promise<WrittenByUsers> {
  const ids = [...new Set(annotationIds)];
  const rows = await db.query<{ annotationId: string; commentId: number | null }>(sql`
    SELECT annotation_id AS "annotationId", NULL::float8 AS "commentId" FROM comment_annotations
    WHERE tenant_id = ${tenantId} AND annotation_id = ANY(${ids}) AND fields @> '{"isByUser":true}'
    UNION ALL
    SELECT annotation_id, comment_id::float8 FROM comments
    WHERE tenant_id = ${tenantId} AND annotation_id = ANY(${ids}) AND content @> '{"isByUser":true}'`);
  const found = new Set(rows.map((row) => JSON.stringify([row.annotationId, row.commentId])));
  return (annotationId, commentId) => found.has(JSON.stringify([annotationId, commentId ?? null]));
}

/**
 * Whether a mail may contain a link that a user wrote. Mails are sent in the operator's name, so
 * they link only to this service and to the domains of the key.
 */
export const isTrustedLink = (
  url: string,
  { publicUrl, allowedDomains }: { publicUrl: string; allowedDomains: string[] },
): boolean =>
  URL.canParse(url) &&
  isAllowedOrigin(new URL(url).origin, [new URL(publicUrl).hostname, ...allowedDomains]);
