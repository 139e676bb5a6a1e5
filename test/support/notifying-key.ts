import { beforeEach } from 'vitest';
import { annotationsOf, keyWithPrivateComments, type Place } from './annotations.ts';
import { dataOf, fresh, type Loose } from './answers.ts';
import { eventually } from './eventually.ts';
import type { TestServer } from './server.ts';

/** The triggers of annotations that make notifications. */
const COMMENT_TRIGGERS = [
  ...['newlyAdded', 'added', 'updated', 'approved', 'assigned', 'reactionAdded', 'statusChanged'],
  ...['priorityChanged', 'accepted', 'rejected', 'suggestionAccepted', 'suggestionRejected'],
  ...['accessModeChanged', 'customListChanged'],
];
export const ALL_TRIGGERS = Object.fromEntries(COMMENT_TRIGGERS.map((name) => [name, true]));

/** A separate key that notifies on all triggers, with the calls that tests share. */
export async function notifyingKey(server: TestServer) {
  const headers = await keyWithPrivateComments(server);
  const comments = annotationsOf(server, headers);
  const post = (path: string, data: object, own = headers): Promise<Loose> =>
    server.ok(path, data, own);
  const configure = (config: object) =>
    post('/v2/workspace/notificationconfig/update', { useNotificationService: true, ...config });
  await configure({ triggers: { comment: ALL_TRIGGERS } });
  const place = comments.place();
  const target = { ...place, annotationId: fresh('thread') };
  const key = {
    headers,
    tenantId: headers['x-svc-api-key'] ?? '',
    place,
    target,
    post,
    configure,
    /** Creates the annotation with these comments. */
    begin: async (commentData: object[], more: object = {}) => {
      const annotation = { annotationId: target.annotationId, commentData, ...more };
      return dataOf(await comments.add(place, [annotation]));
    },
    reply: (...commentData: object[]) =>
      post('/v2/commentannotations/comments/add', { ...target, commentData }),
    update: (updatedData: object) =>
      post('/v2/commentannotations/update', {
        ...place,
        annotationIds: [target.annotationId],
        updatedData,
        triggerNotification: true,
      }),
    prefer: (userId: string, config: object, documentIds?: string[]) =>
      post('/v2/notifications/config/set', {
        organizationId: place.organizationId,
        userId,
        documentIds,
        config,
      }),
    /** Reads as a user with their token, or with the API key on behalf of the user. */
    inbox: (userId: string, more: object = {}, own = headers): Promise<Loose[]> =>
      post('/v2/notifications/get', { ...inOrganization(place), userId, ...more }, own),
    all: (): Promise<Loose[]> => post('/v2/notifications/get', { ...place, order: 'asc' }),
    unread: (userId: string, more: object = {}, own = headers): Promise<Loose> =>
      post(
        '/v2/notifications/unread/count/get',
        { ...inOrganization(place), userId, ...more },
        own,
      ),
    /** Waits until the notification reader has read all events. */
    settled: () => readersCaughtUp(server, 'notifications'),
  };
  return key;
}
export type NotifyingKey = Awaited<ReturnType<typeof notifyingKey>>;

/** Such a key, which is another one in each test. */
export function notifyingKeyPerTest(server: TestServer): NotifyingKey {
  const key = {} as NotifyingKey;
  beforeEach(async () => void Object.assign(key, await notifyingKey(server)));
  return key;
}

const inOrganization = ({ organizationId }: Place) => ({ organizationId });

/** Waits until these event readers have read all events; without names, until all have. */
export async function readersCaughtUp(server: TestServer, ...names: string[]): Promise<void> {
  const { pool } = server.app.services.db;
  await server.app.services.events.sequence();
  const { rows } = await pool.query('SELECT max(sequence) AS last FROM events /* all tenants */');
  await eventually(async () => {
    const behind = await pool.query(
      `SELECT 1 FROM event_readers /* all tenants */ WHERE ($1 OR name = ANY($2)) AND sequence < $3`,
      [names.length === 0, names, rows[0].last],
    );
    if (behind.rowCount) throw new Error('A reader has not caught up.');
  });
}

export const user = (userId: string) => ({ userId });
export const mentioning = (...userIds: string[]) => ({ taggedUserContacts: userIds.map(user) });
export const commentBy = (userId: string, more: object = {}) => ({
  commentText: `${userId} says so`,
  from: user(userId),
  triggerNotification: true,
  ...more,
});
export const headlines = (notifications: Loose[]): string[] =>
  notifications.map((one) => one.displayHeadlineMessage);
