import type { Queryable } from '../../../platform/database/database.ts';
import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import { fillHeadline } from '../../notifications/fill-headline.ts';
import { headlineOf } from '../../notifications/generate/headline-templates.ts';
import { loadRecipients } from '../../notifications/generate/recipients.ts';
import type { PresentedNotification } from '../../notifications/schema.ts';
import { loadUsers } from '../../users/known-people.ts';

/**
 * Returns the data of one tenant's events for its processed webhook, by event id. The current
 * recipients and readable texts are added.
 *
 * @param now Unix seconds
 */
export async function processEvents(
  db: Queryable,
  tenantId: string,
  events: LoggedEvent[],
  now: number,
): Promise<Map<string, object>> {
  const notified = await loadRecipients(db, { tenantId, events, now });
  const recipientsOf = new Map(notified.map(({ event, recipients }) => [event.id, recipients]));
  const notifications = events.filter(isNotification);
  const users = await loadUsers(db, tenantId, notifications.flatMap(userIdsOf));
  return new Map(
    events.map((event) => {
      const recipients = isNotification(event)
        ? userIdsOf(event).map((userId) => users.get(userId) ?? { userId })
        : (recipientsOf.get(event.id) ?? []).map(({ user }) => user);
      return [event.id, { ...dataWithTexts(event), ...recipientFields(recipients) }];
    }),
  );
}

interface NotificationEvent extends LoggedEvent {
  data: PresentedNotification;
}

const isNotification = (event: LoggedEvent): event is NotificationEvent =>
  event.type === 'notification.add';

const userIdsOf = ({ data }: NotificationEvent): string[] => Object.keys(data.notifyUsersByUserId);

/** Returns the data of an event with readable texts. Notifications already have them; other events get a headline. */
function dataWithTexts(event: LoggedEvent): object {
  if (isNotification(event)) return event.data;
  const { template, templateData, body } = headlineOf(event);
  return {
    ...(event.data as object),
    displayHeadlineMessage: fillHeadline(template, templateData),
    displayBodyMessage: body,
  };
}

/** Returns the maps of user ids that notifications have (specification 2.12), and the users. */
function recipientFields(recipients: Array<{ userId: string }>): object {
  const everybody = Object.fromEntries(recipients.map(({ userId }) => [userId, true]));
  return { notifyUsers: everybody, notifyUsersByUserId: everybody, recipients };
}
