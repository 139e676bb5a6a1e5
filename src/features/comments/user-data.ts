import type { KeyContext } from '../../api/context.ts';
import { rowSource, type UserDataQuery, type UserDataSource } from '../../api/user-data-source.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { sql } from '../../platform/database/database.ts';
import type { NamedUserObject } from './annotation-row.ts';
import { selectAnnotations } from './load-annotations.ts';
import { presentAnnotation } from './present-annotation.ts';
import type { PresentedAnnotation, PresentedReaction } from './response-schemas.ts';
import { showAnnotation } from './show-annotation.ts';
import { type LocatedAnnotation, loadVisibilityOfRows } from './visibility/load-visibility.ts';

/**
 * Annotations in which the user wrote or was mentioned, that were assigned to the user, or that the user
 * resolved, read or subscribed to (specification 4.16).
 */
export const annotationsOfUser: UserDataSource<PresentedAnnotation> = {
  async read(ctx, query, after, limit) {
    const keys = await ctx.db.query<{ annotationId: string }>(sql`
      SELECT annotation_id AS "annotationId" FROM annotation_users
      WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${query.organizationId}
        AND user_id = ${query.userId} AND annotation_id > ${after?.[0] ?? ''}
      ORDER BY annotation_id LIMIT ${limit + 1}`);
    const ids = keys.slice(0, limit).map((key) => key.annotationId);
    const rows = await selectAnnotations(ctx.db, ctx.tenantId, ids);
    const located = rows.map((row) => ({ ...row, authorId: row.from.userId }));
    const visible = await filterVisible(ctx, located);
    const last = keys.length > limit ? ids.at(-1) : undefined;
    return {
      items: visible.map((row) => showAnnotation(ctx, presentAnnotation(ctx.tenantId, row))),
      next: last === undefined ? undefined : [last],
    };
  },
};

interface ReactionOfUser extends LocatedAnnotation {
  commentId: string;
  reactionId: string;
  icon: string;
  user: NamedUserObject;
  lastUpdated: number;
}

/** The reactions that a user gave, oldest first (specification 4.16). */
export const reactionsOfUser = rowSource<ReactionOfUser, PresentedReaction>({
  select: selectReactions,
  positionOf: (row) => [String(row.lastUpdated), row.annotationId, row.commentId, row.icon],
  filterVisible: (ctx, _query, rows) => filterVisible(ctx, rows),
  present: (_ctx, row) => presentReaction(row),
});

/** Selects reactions. OFFSET 0 makes PostgreSQL look up each annotation by its id, even without statistics. */
function selectReactions(
  ctx: KeyContext,
  { organizationId, userId }: UserDataQuery,
  after: string[] | undefined,
  limit: number,
): Promise<ReactionOfUser[]> {
  const [time, annotationId, commentId, icon] = after ?? ['-1', '', '0', ''];
  return ctx.db.query<ReactionOfUser>(sql`
    SELECT r.annotation_id AS "annotationId", r.comment_id::text AS "commentId",
           r.reaction_id AS "reactionId", r.icon, r."user", r.last_updated::float8 AS "lastUpdated",
           a.organization_id AS "organizationId", a.document_id AS "documentId",
           a.author_id AS "authorId", a.visibility, a.access
    FROM comment_reactions r
    CROSS JOIN LATERAL (
      SELECT * FROM comment_annotations
      WHERE tenant_id = r.tenant_id AND annotation_id = r.annotation_id OFFSET 0) a
    WHERE r.tenant_id = ${ctx.tenantId} AND r.user_id = ${userId}
      AND a.organization_id = ${organizationId}
      AND (r.last_updated, r.annotation_id, r.comment_id, r.icon)
        > (${time}::bigint, ${annotationId}, ${commentId}::bigint, ${icon})
    ORDER BY r.last_updated, r.annotation_id, r.comment_id, r.icon LIMIT ${limit}`);
}

const presentReaction = (row: ReactionOfUser): PresentedReaction => ({
  annotationId: row.reactionId,
  type: 'reaction',
  icon: row.icon,
  commentAnnotationId: row.annotationId,
  lastUpdated: row.lastUpdated,
  fromUsers: [{ lastUpdated: row.lastUpdated, from: row.user }],
});

/** Returns the rows whose annotations the caller may see. API keys see everything. */
async function filterVisible<Row extends LocatedAnnotation>(
  { db, tenantId, userId, clock }: KeyContext,
  rows: Row[],
): Promise<Row[]> {
  if (userId === undefined) return rows;
  const scope = { tenantId, userIds: [userId] };
  const visibility = await loadVisibilityOfRows(db, scope, rows, unixSeconds(clock));
  return rows.filter(({ annotationId }) => visibility.isVisible(annotationId, userId));
}
