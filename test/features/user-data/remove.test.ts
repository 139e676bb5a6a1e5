import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { STEP_ROWS } from '../../../src/platform/erasure/step.ts';
import type { Loose } from '../../support/answers.ts';
import { attachmentsOf, HELLO } from '../../support/attachments.ts';
import { erase, rowsMatching, tablesOf } from '../../support/erasure.ts';
import { allEvents } from '../../support/events.ts';
import {
  mentioning,
  type NotifyingKey,
  notifyingKey,
  readersCaughtUp,
} from '../../support/notifying-key.ts';
import { testServer } from '../../support/server.ts';

const ADA = { userId: 'u-7f3a-0191', name: 'Ada Lovelace' };
const BOB = { userId: 'bob', name: 'Bob' };
/** Words that no other text contains. */
const HERS = 'zanzibarine';
const HIS = 'quixotically';

const server = testServer();

/** Ada and Bob each write their own word, and the other's, wherever users can write. */
async function writeEverywhere(key: NotifyingKey, annotationId: string): Promise<void> {
  const { post, place, headers } = key;
  const { organizationId } = place;
  const write = (operation: string, data: object) =>
    post(`/v2/${operation}`, { ...place, ...data });
  const activityServiceConfig = {
    isEnabled: true,
    triggers: { comment: { newlyAdded: true, added: true }, notification: { add: true } },
  };
  await post('/v2/workspace/activityconfig/update', { activityServiceConfig });
  await post('/v1/users/add', { organizationId, users: [ADA, BOB] });
  const comment = (from: object, word: string, more: object = {}) => ({
    ...{ commentText: `I say ${word}`, commentHtml: `<p>${word}</p>` },
    ...{ attachments: [{ name: `${word}.png` }], from, triggerNotification: true, ...more },
  });
  const annotate = (name: string, commentData: object[], more: object) =>
    write('commentannotations/add', {
      createDocument: true,
      commentAnnotations: [{ annotationId: annotationId + name, commentData, ...more }],
    });
  const suggestion = { newText: `${HERS} it should be`, status: 'pending' };
  const own = { location: { version: { name: HERS } }, metadata: { note: HERS } };
  await annotate('alone', [comment(ADA, HERS)], own);
  const both = [comment(ADA, HERS, mentioning('bob')), comment(BOB, HIS)];
  await annotate('hers', both, { type: 'suggestion', suggestion, ...own });
  const note = { metadata: { note: HIS } };
  await annotate('his', [comment(BOB, HIS), comment(ADA, HERS)], note);
  const inHis = (operation: string, data: object) =>
    write(`commentannotations/${operation}`, { annotationId: `${annotationId}his`, ...data });
  const more = [comment(ADA, HERS, { commentId: 7 }), comment(ADA, HERS, { commentId: 8 })];
  await inHis('comments/add', { commentData: [...more, comment(BOB, HIS, { commentId: 9 })] });
  const changed = { commentId: 7, commentText: `changed: ${HERS}`, from: ADA };
  await inHis('comments/update', { commentData: [changed] });
  await inHis('comments/delete', { commentIds: [8] });
  await inHis('reactions/add', { commentId: 1, icon: HERS, userId: ADA.userId });
  for (const updatedData of [
    { assignedTo: BOB },
    { suggestion: { ...suggestion, status: 'accepted' } },
    { status: { id: 'RESOLVED', type: 'terminal' }, resolvedByUserId: 'bob' },
  ]) {
    const update = { updatedData, actionUser: BOB, triggerNotification: true };
    const annotationIds = [`${annotationId}hers`];
    await write('commentannotations/update', { annotationIds, ...update });
  }
  for (const [user, word] of [
    [ADA, HERS],
    [BOB, HIS],
  ] as const) {
    const { userId } = user;
    await write('notifications/add', {
      notificationId: annotationId + userId,
      ...{ actionUser: user, notifyUsers: [ADA, BOB], displayBodyMessage: `Of ${word}` },
      displayHeadlineMessageTemplate: `{actionUser} says ${word} of {thing}`,
      displayHeadlineMessageTemplateData: { thing: word },
    });
    await write('presence/update', { users: [{ userId, status: word }] });
    const url = 'https://media.example.com/a.mp4';
    await write('recordings/add', { recordings: [{ url, from: user, recordingName: word }] });
    await attachmentsOf(server).upload(place, HELLO, { userId, name: `${word}.txt` }, headers);
    const activity = {
      ...{ activityId: annotationId + userId, featureType: 'invoice' },
      ...{ actionType: 'invoice.note', actionUser: user, data: { note: word } },
      displayMessageTemplate: `Wrote ${word}`,
    };
    await post('/v2/activities/add', { organizationId, activities: [activity] });
    const query = `Whether ${word} is a word`;
    const judged = { query, reasoning: `Since ${word} is nice`, decision: 'approved' };
    const judgments = [{ ...place, ...judged, reviewer: user }];
    await server.call('/v2/memory/judgments/add', { judgments }, headers);
  }
  await key.settled();
  await insertCopies(key);
}

/** Stores an alert about judgments. */
const insertAlert = (key: NotifyingKey, type: string, subject: string, evidence: object) =>
  server.app.services.db.pool.query(
    `INSERT INTO memory_alerts (tenant_id, alert_id, alert_type, severity, subject, title,
       description, evidence, status, created_ms)
     VALUES ($1, 'alert', $2, 1, $3, 'Title', $4, $5, 'active', 1)`,
    [key.tenantId, type, subject, `About ${HERS}`, evidence],
  );

/** Inserts copies of Ada's words: an alert about a judgment, and the answer of a webhook's receiver. */
async function insertCopies(key: NotifyingKey): Promise<void> {
  const { tenantId } = key;
  const { pool } = server.app.services.db;
  const { rows } = await pool.query<{ record_id: string }>(
    'SELECT record_id FROM memory_judgments WHERE tenant_id = $1 AND reviewer_id = $2',
    [tenantId, ADA.userId],
  );
  const sourceRecordIds = rows.map(({ record_id }) => record_id);
  await insertAlert(key, 'conflicting-decisions', 'x', { sourceRecordIds });
  await pool.query("INSERT INTO webhook_queues (tenant_id, endpoint_id) VALUES ($1, 'echo')", [
    tenantId,
  ]);
  await pool.query(
    `INSERT INTO webhook_attempts (tenant_id, endpoint_id, sequence, number, at, status_code,
       latency_ms, excerpt)
     SELECT $1, 'echo', sequence, 1, now(), 500, 1, $2 FROM events
     WHERE tenant_id = $1 AND type = 'comment.add'`,
    [tenantId, HERS],
  );
}

/** All rows of the key that contain a word, in any case, also in binary columns. */
const rowsWith = ({ headers }: NotifyingKey, word: string) =>
  rowsMatching(server, headers, `${word}|${Buffer.from(word).toString('hex')}`);

const ERASURE = { userIds: [ADA.userId], contents: 'remove' };

describe('users/data/delete with contents: remove', () => {
  it('deletes every word that they wrote, once, and keeps the words and threads of others', async () => {
    const key = await notifyingKey(server);
    await writeEverywhere(key, `${key.tenantId}-`);
    await readersCaughtUp(server);
    const before = tablesOf(await rowsWith(key, HERS));
    // The guarantee covers only tables that the test wrote to.
    const tables = `activities attachments comment_annotations comment_reactions comments events
      memory_alerts memory_judgments notifications presence recordings webhook_attempts`;
    expect(before).toEqual(tables.split(/\s+/));
    const his = await rowsWith(key, HIS);
    const receipt = await erase(server, key.headers, ERASURE);
    expect(await rowsWith(key, HERS)).toEqual([]);
    expect(await rowsWith(key, ADA.name)).toEqual([]);
    expect(tablesOf(await rowsWith(key, HIS))).toEqual(tablesOf(his));
    expect(receipt).toMatchObject({
      ...{ attachmentsRemoved: 1, commentsRemoved: 4, commentAnnotationsRemoved: 1, reactions: 1 },
      ...{ recordings: 1, judgmentsRemoved: 2, alertsRemoved: 1 },
    });
    const published = await allEvents(server, { types: ['user.delete'] }, key.headers);
    expect(published.map(({ data }) => data)).toEqual([
      { userId: ADA.userId, erased: true, contents: 'remove' },
    ]);
    const { organizationId } = key.place;
    const verified = await key.post('/v2/activities/verify', { organizationId });
    expect(verified).toMatchObject({ valid: true });

    // The threads of others are readable, and so are the replies of others in theirs.
    const threads = await key.post('/v2/commentannotations/get', key.place);
    const texts = Object.fromEntries(
      threads.map(({ annotationId, comments }: Loose) => [
        annotationId.split('-').at(-1),
        comments.map(({ commentText }: Loose) => commentText),
      ]),
    );
    expect(texts).toEqual({ hers: [`I say ${HIS}`], his: [`I say ${HIS}`, `I say ${HIS}`] });
    const hers = threads.find(({ annotationId }: Loose) => annotationId.endsWith('hers'));
    expect(hers.from.name).toBe('Deleted user');
    expect(hers.metadata).not.toHaveProperty('note', HERS);
    const inbox = await key.post('/v2/notifications/get', key.place);
    expect(inbox).toContainEqual(expect.objectContaining({ displayBodyMessage: `Of ${HIS}` }));
    const again = await erase(server, key.headers, ERASURE);
    expect(again).toMatchObject({ commentsRemoved: 0, judgmentsRemoved: 0, events: 0 });
  });

  it('keeps every word elsewhere if it is limited to organizations', async () => {
    const key = await notifyingKey(server);
    await writeEverywhere(key, `${key.tenantId}-`);
    await readersCaughtUp(server);
    const before = await rowsWith(key, HERS);
    const organizationId = 'elsewhere';
    await key.post('/v2/organizations/add', { organizations: [{ organizationId }] });
    await erase(server, key.headers, { ...ERASURE, organizationIds: [organizationId] });
    expect(await rowsWith(key, HERS)).toEqual(before);
  });

  it('deletes what others decided about any of their comments, also where space surrounds it', async () => {
    const key = await notifyingKey(server);
    const commentText = `\n\u00a0Whether ${HERS} is a word?\t`;
    const create = { createOrganization: true, createDocument: true };
    // With the last one, there is one more comment than a step of the erasure reads.
    const others = Array.from({ length: STEP_ROWS }, () => ({ commentText: 'Yes', from: ADA }));
    for (const commentData of [others, [{ commentText, from: ADA }]]) {
      const commentAnnotations = [{ commentData }];
      await key.post('/v2/commentannotations/add', { ...key.place, ...create, commentAnnotations });
    }
    const decided = { ...key.place, decision: 'approved', reviewer: BOB };
    const queries = [commentText.trim(), `${commentText.trim()}\nIt is.`, `Not ${commentText}`];
    const judgments = queries.map((query) => ({ ...decided, query }));
    await key.post('/v2/memory/judgments/add', { judgments });
    await erase(server, key.headers, ERASURE);
    const { results } = await key.post('/v2/memory/judgments/query', key.place);
    expect(results.map(({ query }: Loose) => query)).toEqual([`Not ${commentText}`]);
  });

  it('leaves threads as if they had deleted their comments: read by who wrote the last one, without their mentions', async () => {
    const key = await notifyingKey(server);
    await key.post('/v2/organizations/documents/add', {
      organizationId: key.place.organizationId,
      createOrganization: true,
      documents: [{ documentId: key.place.documentId }],
    });
    const hers = { commentText: HERS, from: ADA, ...mentioning('grace') };
    const his = { commentText: HIS, from: BOB, triggerNotification: true, ...mentioning('linus') };
    await key.begin([his, hers]);
    const unread = async () => {
      const path = '/v2/commentannotations/count/get';
      const counts = await key.post(path, { ...key.place, userId: BOB.userId });
      return counts[key.place.documentId];
    };
    const mentioned = async (userId: string) => {
      const filter = { ...key.place, mentionedUserIds: [userId] };
      return (await key.post('/v2/commentannotations/get', filter)).length;
    };
    expect(await unread()).toEqual({ total: 1, unread: 1 });
    expect([await mentioned('grace'), await mentioned('linus')]).toEqual([1, 1]);
    await key.settled();
    const told = await key.inbox('linus');
    await erase(server, key.headers, ERASURE);
    // The notification is also about the comment of Bob.
    expect(await key.inbox('linus')).toMatchObject([{ id: told[0]?.id }]);
    expect(await unread()).toEqual({ total: 1, unread: 0 });
    expect([await mentioned('grace'), await mentioned('linus')]).toEqual([0, 1]);
  });

  it('leaves no hash of their ids in alerts', async () => {
    const key = await notifyingKey(server);
    const subject = JSON.stringify([ADA.userId, 'less']);
    const evidence = { reviewerId: ADA.userId, sourceRecordIds: [] };
    await insertAlert(key, 'reviewer-divergence', subject, evidence);
    await erase(server, key.headers, { userIds: [ADA.userId] });
    const hashes = ['md5', 'sha256'].map((name) => hash(name, subject));
    expect(await rowsMatching(server, key.headers, hashes.join('|'))).toEqual([]);
    expect(await rowsMatching(server, key.headers, 'reviewer-divergence')).toHaveLength(1);
  });

  it('is another job than an erasure that keeps contents', async () => {
    const key = await notifyingKey(server);
    const start = (data: object) =>
      key.post('/v2/users/data/delete', { userIds: [ADA.userId], ...data });
    const [kept, removed] = [await start({}), await start({ contents: 'remove' })];
    expect(kept.jobId).not.toBe(removed.jobId);
    expect(removed.tasksCount).toBeGreaterThan(kept.tasksCount);
  });
});
