import { empty, type Sql, sql } from '../../platform/database/database.ts';
import type { DependentRows } from '../../platform/erasure/dependent-rows.ts';
import type { Quote } from '../../platform/erasure/quotes.ts';
import { removeRows } from '../../platform/erasure/remove-rows.ts';
import { type ErasureStep, STEP_ROWS } from '../../platform/erasure/step.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';

export const erasePreferences = removeRows({
  name: 'notificationPreferences',
  table: sql`notification_preferences`,
  key: sql`organization_id, user_id, document_id`,
});

/** Removes the inboxes of erased users, and notifications that have no other recipients. */
export const eraseInboxes: ErasureStep = {
  name: 'inbox',
  async run({ tenantId, userIds, organizationIds }, tx) {
    const inScope = organizationIds ? sql`AND organization_id = ANY(${organizationIds})` : empty;
    const removed = await tx.query<Record<'organizationId' | 'notificationId', string>>(sql`
      DELETE FROM notification_recipients
      WHERE tenant_id = ${tenantId} AND (organization_id, notification_id, user_id) IN (
        SELECT organization_id, notification_id, user_id FROM notification_recipients
        WHERE tenant_id = ${tenantId} AND user_id = ANY(${userIds}) ${inScope}
        LIMIT ${STEP_ROWS} FOR UPDATE)
      RETURNING organization_id AS "organizationId", notification_id AS "notificationId"`);
    const orphans = await tx.query(sql`
      DELETE FROM notifications n
      USING unnest(${removed.map((row) => row.organizationId)}::text[],
                   ${removed.map((row) => row.notificationId)}::text[])
        AS left_by(organization_id, notification_id)
      WHERE n.tenant_id = ${tenantId} AND n.organization_id = left_by.organization_id
        AND n.notification_id = left_by.notification_id
        AND NOT EXISTS (
          SELECT 1 FROM notification_recipients r
          WHERE r.tenant_id = n.tenant_id AND r.organization_id = n.organization_id
            AND r.notification_id = n.notification_id)
      RETURNING 1`);
    return {
      counts: { inbox: removed.length, notificationsRemoved: orphans.length },
      next: removed.length === STEP_ROWS ? [] : undefined,
    };
  },
};

const notifications = {
  table: sql`notifications t`,
  key: ['organization_id', 'notification_id'],
};

/** SQL: selects the comments of the notification's thread that meet a condition. */
const sourceComments = (condition: Sql) => sql`
  SELECT 1 FROM comments c
  WHERE c.tenant_id = t.tenant_id AND c.annotation_id = t.annotation_id AND ${condition}`;
/** SQL: the notification is about this comment. */
const isAbout = sql`t.content->'commentIds' @> to_jsonb(c.comment_id)`;

/** Deletes notifications of what the users did, and of only their comments. Without `set`, rows are deleted. */
export const deleteNotificationsOfErasedUsers = walkRows({
  ...notifications,
  name: 'notificationsWritten',
  onlyWhenRemovingContents: true,
  condition: ({ userIds }) => sql`(t.content->'actionUser'->>'userId' = ANY(${userIds})
    OR EXISTS (${sourceComments(sql`${isAbout} AND c.author_id = ANY(${userIds})`)})
      AND NOT EXISTS (${sourceComments(sql`${isAbout} AND c.author_id <> ALL(${userIds})`)}))`,
});

/** Removes quotes of the users' comments from the remaining notifications. */
export const eraseQuotesInNotifications = walkRows({
  ...notifications,
  name: 'notificationQuotes',
  onlyWhenRemovingContents: true,
  record: sql`json_build_object('content', t.content, 'authorId', (
    SELECT a.author_id FROM comment_annotations a
    WHERE a.tenant_id = t.tenant_id AND a.annotation_id = t.annotation_id))`,
  set: () => sql`content = (record->'content')::jsonb`,
  condition: ({ userIds }) => sql`t.source = 'comment' AND (
    EXISTS (${sourceComments(sql`${isAbout} AND c.author_id = ANY(${userIds})`)})
    OR t.content->'commentIds' IS NULL AND (
      SELECT c.author_id FROM comments c
      WHERE c.tenant_id = t.tenant_id AND c.annotation_id = t.annotation_id
        AND c.content->'isDraft' IS DISTINCT FROM 'true'::jsonb
      ORDER BY c.comment_id LIMIT 1) = ANY(${userIds}))`,
  rewrite: (record, { userIds }) => {
    const { content, authorId } = record as { content: object; authorId: string | null };
    const isTheirs = authorId !== null && userIds.includes(authorId);
    return { content: { ...content, body: '', ...(isTheirs && { location: {} }) } };
  },
});

/** Deletes notifications about threads that were deleted. */
export const deleteOrphanedNotifications = walkRows({
  ...notifications,
  name: 'notificationsOrphaned',
  onlyWhenRemovingContents: true,
  condition: () => sql`t.annotation_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM comment_annotations a
    WHERE a.tenant_id = t.tenant_id AND a.annotation_id = t.annotation_id)`,
});

/** Erases users from the notifications of others: as acting users, and in texts with their names. */
export const eraseInNotifications = walkRows({
  ...notifications,
  name: 'notifications',
  // The anonymiser knows `body` and `template` only by their names in specification 2.12.
  record: sql`json_build_object('content', t.content - 'body' - 'template',
    'displayBodyMessage', t.content->'body', 'displayHeadlineMessage', t.content->'template')`,
  set: () => sql`content = (record->'content')::jsonb || jsonb_build_object(
    'body', record->'displayBodyMessage', 'template', record->'displayHeadlineMessage')`,
});

/** The quote of a comment in the event of a new notification. */
export const quotedNotification: Quote = {
  eventType: 'notification.add',
  field: 'displayBodyMessage',
  isStale: (data) => sql`${data}->>'notificationSource' = 'comment' AND NOT EXISTS (
    SELECT 1 FROM notifications n
    WHERE n.tenant_id = t.tenant_id AND n.organization_id = t.organization_id
      AND n.notification_id = ${data}->>'id'
      AND n.content->>'body' = ${data}->>'displayBodyMessage')`,
};

/** SQL: whether a table has rows of user `u`. */
const hasRows = (table: Sql) => sql`EXISTS (
  SELECT FROM ${table} own WHERE own.tenant_id = u.tenant_id AND own.user_id = u.user_id)`;

/** SQL: whether user `u` has an inbox or preferences in any organization. */
export const hasNotifications: Sql = sql`(
  ${hasRows(sql`notification_recipients`)} OR ${hasRows(sql`notification_preferences`)})`;

/** SQL: deletes the preferences on deleted documents. */
export const preferencesOfDocuments: DependentRows = (tenantId, isDeleted) => sql`
  DELETE FROM notification_preferences
  WHERE tenant_id = ${tenantId} AND ${isDeleted(sql`document_id`)}`;
