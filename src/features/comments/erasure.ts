import { type Sql, sql } from '../../platform/database/database.ts';
import { MAX_KNOWN } from '../../platform/erasure/people.ts';
import { removeRows } from '../../platform/erasure/remove-rows.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';

/** Returns SQL: `AND` and whether a row of `table` belongs to an annotation in one of the organizations. */
const inOrganizationsOf =
  (table: Sql) =>
  ({ tenantId }: { tenantId: string }, organizationIds: string[]): Sql =>
    sql`AND EXISTS (
    SELECT 1 FROM comment_annotations a
    WHERE a.tenant_id = ${tenantId} AND a.annotation_id = ${table}.annotation_id
      AND a.organization_id = ANY(${organizationIds}))`;

/** Joins the annotation `a`. As everywhere else, it is locked before its parts are changed. */
const joinedToAnnotation = {
  joined: sql`JOIN comment_annotations a
    ON a.tenant_id = t.tenant_id AND a.annotation_id = t.annotation_id`,
  joinedKey: sql`a.annotation_id`,
  inOrganizations: (organizationIds: string[]) =>
    sql`AND a.organization_id = ANY(${organizationIds})`,
};

export const eraseReactions = removeRows({
  name: 'reactions',
  table: sql`comment_reactions`,
  key: sql`annotation_id, comment_id, icon, user_id`,
  inOrganizations: inOrganizationsOf(sql`comment_reactions`),
});

/** Removes subscriptions, mentions and read marks of erased users. */
export const eraseSubscriptions = removeRows({
  name: 'subscriptions',
  table: sql`annotation_users`,
  key: sql`annotation_id, user_id`,
});

/** Erases users from annotations. The access context stays, because it decides what other users see. */
export const eraseInAnnotations = walkRows({
  name: 'commentAnnotations',
  table: sql`comment_annotations t`,
  key: ['annotation_id'],
  columns: {
    authorId: 'author_id',
    resolvedBy: 'resolved_by',
    lastCommentBy: 'last_comment_by',
    from: 'from_user::jsonb',
    visibility: 'visibility::jsonb',
    fields: 'fields::jsonb',
  },
});

/** Makes a deleted user the author of the users' comments. The comments stay, so that others can read the threads. */
export const eraseInComments = walkRows({
  name: 'comments',
  table: sql`comments t`,
  ...joinedToAnnotation,
  key: ['annotation_id', 'comment_id::bigint'],
  columns: { authorId: 'author_id', from: 'from_user::jsonb', content: 'content::jsonb' },
});

/** Erases users from the fields of other subscribers, who may name an erased user as their manager. */
export const eraseInSubscriptions = walkRows({
  name: 'subscriptionFields',
  table: sql`annotation_users t`,
  ...joinedToAnnotation,
  key: ['annotation_id', 'user_id'],
  columns: { user: 'user::jsonb' },
});

export const eraseInReactions = walkRows({
  name: 'reactionFields',
  table: sql`comment_reactions t`,
  ...joinedToAnnotation,
  key: ['annotation_id', 'comment_id::bigint', 'icon', 'user_id'],
  columns: { user: 'user::jsonb' },
});

/** Deletes the users' comments, with the reactions to them. */
export const deleteCommentsOfErasedUsers = removeRows({
  name: 'commentsRemoved',
  onlyWhenRemovingContents: true,
  table: sql`comments`,
  key: sql`annotation_id, comment_id`,
  userId: sql`author_id`,
  inOrganizations: inOrganizationsOf(sql`comments`),
});

/** Deletes the users' threads that have no comments left. Without `columns` and `set`, `walkRows` deletes rows. */
export const deleteEmptyAnnotations = walkRows({
  name: 'commentAnnotationsRemoved',
  onlyWhenRemovingContents: true,
  table: sql`comment_annotations t`,
  key: ['annotation_id'],
  condition: ({ userIds }) => sql`t.author_id = ANY(${userIds}) AND NOT EXISTS (
    SELECT 1 FROM comments c
    WHERE c.tenant_id = t.tenant_id AND c.annotation_id = t.annotation_id)`,
});

/** Sets the last comment of threads to the last remaining one. That comment decides whether a thread is unread. */
export const recomputeLastComments = walkRows({
  name: 'lastComments',
  onlyWhenRemovingContents: true,
  table: sql`comment_annotations t`,
  key: ['annotation_id'],
  condition: ({ userIds }) => sql`t.last_comment_by = ANY(${userIds})`,
  rewrite: (record) => record,
  set: () => sql`(last_comment_at, last_comment_by) = (
    SELECT COALESCE(max(last.created_at), t.created_at), COALESCE(max(last.author_id), t.author_id)
    FROM (
      SELECT created_at, author_id FROM comments
      WHERE tenant_id = t.tenant_id AND annotation_id = t.annotation_id
      ORDER BY comment_id DESC LIMIT 1) AS last)`,
});

/** Clears the mentions of users whom no remaining comment mentions. */
export const clearMentions = walkRows({
  name: 'mentions',
  onlyWhenRemovingContents: true,
  table: sql`annotation_users t`,
  ...joinedToAnnotation,
  key: ['annotation_id', 'user_id'],
  condition: () => sql`t.mentioned AND NOT EXISTS (
    SELECT 1 FROM comments c
    WHERE c.tenant_id = t.tenant_id AND c.annotation_id = t.annotation_id
      AND c.content->'taggedUserContacts' @>
        jsonb_build_array(jsonb_build_object('userId', t.user_id)))`,
  rewrite: (record) => record,
  set: () => sql`mentioned = false`,
});

/** SQL: the names and email addresses that annotations have for `asked.user_id` of the enclosing query. */
export const namesInAnnotations = (tenantId: string): Sql => sql`
  SELECT unnest(ARRAY[a."user"->>'name', a."user"->>'email']) AS name FROM (
    SELECT "user" FROM annotation_users
    WHERE tenant_id = ${tenantId} AND user_id = asked.user_id
    LIMIT ${MAX_KNOWN}
  ) AS a`;
