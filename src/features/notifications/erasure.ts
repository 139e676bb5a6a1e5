import { empty, sql } from '../../platform/database/database.ts';
import { removeRows } from '../erasure/remove-rows.ts';
import { type ErasureStep, STEP_ROWS } from '../erasure/step.ts';
import { walkRows } from '../erasure/walk-rows.ts';

export const erasedPreferences = removeRows({
  name: 'notificationPreferences',
  table: sql`notification_preferences`,
});

interface Place {
  organizationId: string;
  notificationId: string;
}

/** Their inboxes, and what was for nobody else. */
export const erasedInboxes: ErasureStep = {
  name: 'inbox',
  async run({ tenantId, userIds, organizationIds }, tx) {
    const inScope = organizationIds ? sql`AND organization_id = ANY(${organizationIds})` : empty;
    const removed = await tx.query<Place>(sql`
      DELETE FROM notification_recipients WHERE tenant_id = ${tenantId} AND ctid IN (
        SELECT ctid FROM notification_recipients
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

/** Others' notifications: who acted, and what is said of it. */
export const erasedInNotifications = walkRows({
  name: 'notifications',
  table: sql`notifications t`,
  key: [
    [sql`t.organization_id`, sql`text`],
    [sql`t.notification_id`, sql`text`],
  ],
  // The words of 2.12, by which text that is made of names is known.
  record: sql`json_build_object('content', t.content - 'body' - 'template',
    'displayBodyMessage', t.content->'body', 'displayHeadlineMessage', t.content->'template')`,
  set: () => sql`content = (record->'content')::jsonb || jsonb_build_object(
    'body', record->'displayBodyMessage', 'template', record->'displayHeadlineMessage')`,
});
