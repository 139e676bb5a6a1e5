import type { NotificationsAddInput } from '../../api/contract.ts';
import { partsOf, peopleOf, personOf, rowOf, textOf, timeOf, without } from './hosted-rows.ts';
import { isMissing, MAX_IDS, type Row } from './hosted-service.ts';
import { fewAtOnce, type ImportContext } from './import-context.ts';

type Notification = NotificationsAddInput & { notificationId: string };

/** Imports the notifications of documents. They are not sent again. */
export async function importNotifications(
  ctx: ImportContext,
  organizationId: string,
  documentIds: string[],
): Promise<void> {
  const { from, to, writer } = ctx;
  await fewAtOnce(documentIds, async (documentId) => {
    const place = { organizationId, documentId };
    try {
      // Lists show notifications of one time in the order in which they were added.
      const query = { ...place, order: 'asc' };
      for await (const { rows } of from.pages('/v2/notifications/get', query)) {
        const found = rows.map((row) => ({ row, notification: convert(row, place) }));
        for (const { row, notification } of found) {
          if (notification) continue;
          writer.tally.add('notifications', 'found');
          const id = textOf(row.id) ?? 'without an id';
          writer.tally.refuse('notifications', id, 'It has no recipients or no acting user.');
        }
        for (const notification of found.flatMap((one) => one.notification ?? [])) {
          await writer.send('notifications', [notification], {
            idOf: ({ notificationId }) => notificationId,
            call: async ([one = notification]) => to.notifications.add(one),
          });
        }
      }
    } catch (error) {
      if (!isMissing(error)) throw error;
      writer.tally.refuse('notifications', documentId, 'The hosted service cannot read them.');
    }
  });
}

function convert(
  row: Row,
  place: { organizationId: string; documentId: string },
): Notification | undefined {
  const notificationId = textOf(row.id);
  const actionUser = personOf(row.actionUser);
  const recipients = Object.keys(rowOf(row.notifyUsersByUserId) ?? rowOf(row.notifyUsers) ?? {});
  if (notificationId === undefined || !actionUser || recipients.length === 0) return undefined;
  const body = textOf(row.displayBodyMessage);
  const template = textOf(row.displayHeadlineMessageTemplate) ?? body ?? '{actionUser}';
  const access = rowOf(rowOf(row.context)?.access);
  return without(
    {
      ...place,
      notificationId,
      actionUser,
      notifyUsers: recipients.map((userId) => ({ userId })),
      displayHeadlineMessageTemplate: template,
      displayHeadlineMessageTemplateData: templateData(row.displayHeadlineMessageTemplateData),
      // Both texts are required here.
      displayBodyMessage: body ?? template,
      timestamp: timeOf(row.timestamp),
      location: rowOf(row.location),
      locationId: row.locationId,
      context: access && { access },
    },
    new Set(),
  ) as unknown as Notification;
}

/** Variables are users or text. */
const templateData = (data: unknown): Row =>
  Object.fromEntries(
    Object.entries(rowOf(data) ?? {}).flatMap(([name, value]) => {
      const known = typeof value === 'string' ? value : personOf(value);
      return known === undefined ? [] : [[name, known]];
    }),
  );

const LEVELS = ['ALL', 'MINE', 'NONE'] as const;
type Level = (typeof LEVELS)[number];
const isLevel = (value: unknown): value is Level => LEVELS.some((level) => level === value);

/** Imports what users set for the organization (`documentIds` is empty) or for some documents. */
export async function importPreferences(
  { from, to, writer }: ImportContext,
  place: { organizationId: string; documentIds: string[]; userIds: string[] },
): Promise<void> {
  const { organizationId } = place;
  for (const userIds of partsOf(place.userIds, MAX_IDS)) {
    const query = { organizationId, userIds, documentIds: place.documentIds };
    const { rows } = await from.read('/v2/notifications/config/get', query);
    const general = new Map(
      place.documentIds.length === 0
        ? []
        : (await from.read('/v2/notifications/config/get', { organizationId, userIds })).rows.map(
            (row) => [row.userId, JSON.stringify(rowOf(row.config))],
          ),
    );
    for (const row of rows) {
      const [{ userId } = { userId: undefined }] = peopleOf([row]);
      const { inbox, email } = rowOf(row.config) ?? {};
      const known = general.get(userId) ?? JSON.stringify({ inbox: 'ALL', email: 'ALL' });
      // The service shows what is in effect. What is inherited is not set again.
      if (userId === undefined || known === JSON.stringify(rowOf(row.config))) continue;
      const documentId = textOf(row.documentId);
      const config = {
        ...(isLevel(inbox) && { inbox }),
        ...(isLevel(email) && { email }),
      };
      await writer.send('notification settings', [userId], {
        idOf: () => userId,
        call: async () => {
          const documentIds = documentId === undefined ? [] : [documentId];
          await to.notifications.config.set({ organizationId, userId, documentIds, config });
          return undefined;
        },
      });
    }
  }
}
