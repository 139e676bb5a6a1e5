import type { NotificationsAddInput, NotificationsConfigSetInput } from '../../api/contract.ts';
import { chunksOf, dropEmpty, personOf, rowOf, textOf, timeOf } from './hosted-rows.ts';
import { MAX_IDS, type Row } from './hosted-service.ts';
import { type DocumentRef, forEachReadable, type OrganizationImport } from './import-context.ts';

type Notification = NotificationsAddInput & { notificationId: string };

/** Imports the notifications of documents. They are not sent again. */
export const importNotifications = (
  ctx: OrganizationImport,
  documentIds: string[],
): Promise<void> =>
  forEachReadable(ctx, 'notifications', documentIds, async (documentRef) => {
    const { from, to, writer } = ctx;
    // The oldest comes first: lists show notifications of the same time in the order in which they were added.
    const query = { ...documentRef, order: 'asc' };
    for await (const { rows } of from.pages('/v2/notifications/get', query)) {
      const toNotification = (row: Row) => convert(row, documentRef);
      const reason = 'It has no id, no recipients or no acting user.';
      for (const notification of writer.convert('notifications', rows, toNotification, reason)) {
        await writer.send('notifications', [notification], 'notificationId', () =>
          to.notifications.add(notification),
        );
      }
    }
  });

function convert(row: Row, documentRef: DocumentRef): Notification | undefined {
  const notificationId = textOf(row.id);
  const actionUser = personOf(row.actionUser);
  const recipients = Object.keys(rowOf(row.notifyUsersByUserId) ?? rowOf(row.notifyUsers) ?? {});
  if (notificationId === undefined || !actionUser || recipients.length === 0) return undefined;
  const body = textOf(row.displayBodyMessage);
  const template = textOf(row.displayHeadlineMessageTemplate) ?? body ?? '{actionUser}';
  const access = rowOf(rowOf(row.context)?.access);
  return dropEmpty<Notification>({
    ...documentRef,
    notificationId,
    actionUser,
    notifyUsers: recipients.map((userId) => ({ userId })),
    displayHeadlineMessageTemplate: template,
    displayHeadlineMessageTemplateData: templateData(row.displayHeadlineMessageTemplateData),
    // This server requires both texts.
    displayBodyMessage: body ?? template,
    timestamp: timeOf(row.timestamp),
    location: rowOf(row.location),
    locationId: row.locationId,
    context: access && { access },
  });
}

/** Returns the values of the template's variables, which are users or texts. */
const templateData = (data: unknown): Row =>
  Object.fromEntries(
    Object.entries(rowOf(data) ?? {}).flatMap(([name, value]) => {
      const userOrText = typeof value === 'string' ? value : personOf(value);
      return userOrText === undefined ? [] : [[name, userOrText]];
    }),
  );

const DEFAULT_LEVELS = { inbox: 'ALL', email: 'ALL' };
const LEVELS = ['ALL', 'MINE', 'NONE'] as const;
const levelOf = (value: unknown) => LEVELS.find((level) => level === value);

/** Imports the notification settings of users for the organization or, with `documentIds`, for documents. */
export async function importPreferences(
  { from, to, writer, organizationId }: OrganizationImport,
  allUserIds: string[],
  documentIds: string[] = [],
): Promise<void> {
  const read = async (query: object) =>
    (await from.read('/v2/notifications/config/get', { organizationId, ...query })).rows;
  for (const userIds of chunksOf(allUserIds, MAX_IDS)) {
    const rows = await read({ userIds, documentIds });
    const inheritedRows = documentIds.length === 0 ? [] : await read({ userIds });
    const inheritedConfigs = new Map(
      inheritedRows.map((row) => [row.userId, JSON.stringify(rowOf(row.config))]),
    );
    for (const row of rows) {
      const userId = textOf(row.userId);
      const { inbox, email } = rowOf(row.config) ?? {};
      const inherited = inheritedConfigs.get(userId) ?? JSON.stringify(DEFAULT_LEVELS);
      // The service shows the settings in effect. One that equals the inherited setting is skipped.
      if (userId === undefined || inherited === JSON.stringify(rowOf(row.config))) continue;
      const documentId = textOf(row.documentId);
      const setting = {
        organizationId,
        userId,
        documentIds: documentId === undefined ? [] : [documentId],
        config: { inbox: levelOf(inbox), email: levelOf(email) },
      };
      await writer.sendNew('notification settings', [setting], 'userId', {
        read: async () => ((await hasOwnSetting(to, setting)) ? [userId] : []),
        add: () => to.notifications.config.set(setting),
      });
    }
  }
}

type Setting = Pick<NotificationsConfigSetInput, 'organizationId'> & {
  userId: string;
  documentIds: string[];
};

/** Whether a user has a setting of their own on this server, that is, one that differs from the inherited setting. */
async function hasOwnSetting(
  to: OrganizationImport['to'],
  { organizationId, userId, documentIds }: Setting,
): Promise<boolean> {
  const userIds = [userId];
  const read = async (ids: string[]) => {
    const [found] = await to.notifications.config.get({
      organizationId,
      userIds,
      documentIds: ids,
    });
    return JSON.stringify(found?.config);
  };
  const inherited = documentIds.length === 0 ? JSON.stringify(DEFAULT_LEVELS) : await read([]);
  return (await read(documentIds)) !== inherited;
}
