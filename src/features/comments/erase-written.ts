import { sql } from '../../platform/database/database.ts';
import { removeRows } from '../../platform/erasure/remove-rows.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';

/** Where what users wrote goes too: their comments, with the reactions to them. */
export const writtenComments = removeRows({
  name: 'commentsRemoved',
  onlyRemoving: true,
  table: sql`comments`,
  userId: sql`author_id`,
  inOrganizations: ({ tenantId }, organizationIds) => sql`AND EXISTS (
    SELECT 1 FROM comment_annotations a
    WHERE a.tenant_id = ${tenantId} AND a.annotation_id = comments.annotation_id
      AND a.organization_id = ANY(${organizationIds}))`,
});

/** Threads that they began and in which nobody else wrote. Others stay, from somebody deleted. */
export const writtenAnnotations = walkRows({
  name: 'commentAnnotationsRemoved',
  onlyRemoving: true,
  table: sql`comment_annotations t`,
  key: [[sql`t.annotation_id`, sql`text`]],
  record: sql`json_build_object('authorId', t.author_id)`,
  finds: ({ userIds }) => sql`t.author_id = ANY(${userIds}) AND NOT EXISTS (
    SELECT 1 FROM comments c
    WHERE c.tenant_id = t.tenant_id AND c.annotation_id = t.annotation_id)`,
});
