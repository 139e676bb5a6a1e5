import { beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../src/platform/database/database.ts';
import { userHeaders } from '../../support/annotations.ts';
import { failureOf } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { NOTIFICATION } from '../../support/notifications.ts';
import {
  commentBy,
  mentioning,
  notifyingKeyPerTest,
  readersCaughtUp,
} from '../../support/notifying-key.ts';
import { testServer } from '../../support/server.ts';

const server = testServer();
const key = notifyingKeyPerTest(server);
/**
 * Grace and Linus have one notification each. The service is then disabled, so no change adds
 * more.
 */
beforeEach(async () => {
  await key.begin([commentBy('ada', { commentText: 'A secret', ...mentioning('grace', 'linus') })]);
  await key.settled();
  await key.configure({ useNotificationService: false });
});

const hide = (visibility: object) => key.update({ visibility });
const count = async (userId: string) => (await key.inbox(userId)).length;
const unread = async (userId: string) => (await key.unread(userId)).total;
const tokenOf = (userId: string) => userHeaders(server, userId, [], key.headers);

describe('a notification of an annotation', () => {
  it('is hidden from users who may not see the annotation, and shown once they may', async () => {
    const own = await tokenOf('linus');
    await hide({ type: 'restricted', userIds: ['grace'] });
    expect([await count('grace'), await unread('grace')]).toEqual([1, 1]);
    expect([await count('linus'), await unread('linus')]).toEqual([0, 0]);
    expect(await key.inbox('linus', {}, own)).toEqual([]);
    expect(await key.unread('linus', {}, own)).toEqual({ total: 0, byDocumentId: {} });
    const [{ id }] = await key.inbox('grace');
    const { organizationId } = key.place;
    const mark = { organizationId, notificationIds: [id] };
    const outcome = await key.post('/v2/notifications/update', mark, own);
    expect(outcome[id].success).toBe(false);
    // The API key sees everything.
    expect(await key.all()).toHaveLength(1);
    await hide({ type: 'public' });
    expect([await count('linus'), await unread('linus')]).toEqual([1, 1]);
    expect(await key.inbox('linus', {}, own)).toHaveLength(1);
  });

  it('shows the current content of the annotation, and loses the text of a comment that is deleted', async () => {
    const edit = { ...key.target, commentData: [{ commentId: 1, commentText: 'No secret' }] };
    await key.post('/v2/commentannotations/comments/update', edit);
    const [{ notificationSourceData }] = await key.inbox('grace');
    const [annotation] = await key.post('/v2/commentannotations/get', key.place);
    expect(notificationSourceData).toEqual(annotation);
    expect(notificationSourceData.comments[0].commentText).toBe('No secret');

    await key.configure({});
    await key.update({ priority: { id: 'P1' } });
    await key.reply(commentBy('linus', { commentText: 'An answer' }));
    await key.settled();
    const bodies = async () => (await key.inbox('grace')).map((one) => one.displayBodyMessage);
    expect(await bodies()).toEqual(['An answer', 'No secret', 'A secret']);
    await key.post('/v2/commentannotations/comments/delete', { ...key.target, commentIds: [1] });
    await key.settled();
    expect(await bodies()).toEqual(['An answer', '']);
    expect(JSON.stringify(await key.all())).not.toMatch(/No secret|A secret/);
  });

  it('is deleted with the annotation, and with the last of its own comments', async () => {
    await key.configure({});
    const countAfter = async (change: Promise<unknown>) => {
      await change;
      await key.settled();
      return count('grace');
    };
    const remove = (commentId: number) => {
      const comment = { ...key.target, commentIds: [commentId] };
      return key.post('/v2/commentannotations/comments/delete', comment);
    };
    expect(await countAfter(key.reply(commentBy('ada'), commentBy('ada')))).toBe(2);
    expect(await countAfter(remove(2))).toBe(2);
    expect(await countAfter(remove(3))).toBe(1);
    expect(await countAfter(key.reply(commentBy('ada')))).toBe(2);
    expect(await countAfter(remove(4))).toBe(1);
    await key.post('/v2/commentannotations/delete', key.place);
    expect([await count('grace'), await unread('grace'), await key.all()]).toEqual([0, 0, []]);
    await key.settled();
    const left = await server.app.services.db.query(
      sql`SELECT FROM notifications WHERE tenant_id = ${key.tenantId}`,
    );
    expect(left).toEqual([]);
  });
});

describe('notifications/unread/count/get', () => {
  it('counts unread notifications of the own inbox by document, with all named documents', async () => {
    const { organizationId, documentId } = key.place;
    await organize(server, organizationId, { documents: ['other', 'none'] }, key.headers);
    const other = { organizationId, documentId: 'other' };
    for (const notificationId of ['n1', 'n2']) {
      await key.post('/v2/notifications/add', { ...NOTIFICATION, ...other, notificationId });
    }
    const all = { total: 3, byDocumentId: { [documentId]: 1, other: 2 } };
    expect(await key.unread('grace')).toEqual(all);
    const path = '/v2/notifications/unread/count/get';
    expect(await key.post(path, { organizationId }, await tokenOf('grace'))).toEqual(all);
    expect(await key.unread('grace', { documentIds: [] })).toEqual(all);
    const some = await key.unread('grace', { documentIds: ['other', 'none'] });
    expect(some).toEqual({ total: 2, byDocumentId: { other: 2, none: 0 } });
    const mark = { organizationId, userId: 'grace', notificationIds: ['n1'] };
    await key.post('/v2/notifications/update', mark);
    expect(await key.unread('grace')).toMatchObject({ total: 2, byDocumentId: { other: 1 } });
    await key.post('/v2/notifications/update', { ...mark, isRead: false });
    expect(await key.unread('grace')).toEqual(all);
    const access = { organizationId, documentIds: ['other'], accessType: 'restricted' };
    await key.post('/v2/organizations/documents/access/update', access);
    expect(await key.unread('grace')).toEqual({ total: 1, byDocumentId: { [documentId]: 1 } });
  });

  it('requires existing documents, and a user from API keys', async () => {
    const path = '/v2/notifications/unread/count/get';
    const { organizationId } = key.place;
    const documentIds = ['lost', key.place.documentId];
    const elsewhere = { organizationId, userId: 'grace', documentIds };
    const { body } = await server.call(path, elsewhere, key.headers);
    expect(body.error.details).toEqual({
      reason: 'document_not_found',
      unknownDocumentIds: ['lost'],
    });
    const nobody = await server.call(path, { organizationId }, key.headers);
    expect(failureOf(nobody).status).toBe('INVALID_ARGUMENT');
  });
});

it('the pages of an inbox return each notification once between hidden ones, in a constant number of statements', async () => {
  await key.configure({});
  const { organizationId, documentId } = key.place;
  for (let n = 0; n < 9; n++) {
    const visibility = n % 3 === 0 ? { type: 'restricted', userIds: [] } : { type: 'public' };
    await key.begin([commentBy('ada', mentioning('guido'))], {
      annotationId: `${documentId}-${n}`,
      visibility,
    });
  }
  await key.settled();
  const annotationIds = [`${documentId}-1`, `${documentId}-2`];
  const updatedData = { visibility: { type: 'restricted', userIds: [] } };
  await key.post('/v2/commentannotations/update', { organizationId, annotationIds, updatedData });
  // Statements of readers, such as those that delete judgments of hidden threads, must not be counted.
  await readersCaughtUp(server);
  const seen: string[] = [];
  const counts = new Set<number>();
  let pageToken: string | undefined;
  do {
    const data = { organizationId, userId: 'guido', pageSize: 2, pageToken };
    const statements = await server.statementsOf(async () => {
      const { body } = await server.call('/v2/notifications/get', data, key.headers);
      seen.push(...body.result.data.map((one: { id: string }) => one.id));
      pageToken = body.result.pageToken;
    });
    counts.add(statements.length);
  } while (pageToken);
  expect(seen).toHaveLength(4);
  expect(new Set(seen).size).toBe(4);
  expect(counts.size).toBe(1);
});
