import { describe, expect, it } from 'vitest';
import { annotationsOf, userHeaders } from '../../support/annotations.ts';
import { dataOf, failureOf, fresh, invalid } from '../../support/answers.ts';
import { attachmentsOf, HELLO, TEXT } from '../../support/attachments.ts';
import { createTenant, testServer } from '../../support/server.ts';

const server = testServer({ ROLES: 'api' });
const files = attachmentsOf(server);
const threads = annotationsOf(server);

const from = { userId: 'ada' };
const comments = '/v2/commentannotations/comments';

/** A thread with a first comment that names these attachments. */
async function addThread(place: object, attachments: unknown[]) {
  const annotationId = fresh('thread');
  const commentData = [{ commentText: 'See this', from, attachments }];
  const answer = await threads.add(place as never, [{ annotationId, commentData }]);
  return { outcome: dataOf(answer)[annotationId], thread: { ...place, annotationId } };
}

const attachmentsIn = async (thread: object) => {
  const shown = dataOf(await server.call(`${comments}/get`, thread));
  return shown.map((comment: { attachments: unknown[] }) => comment.attachments);
};

const isGone = async (attachment: object) =>
  failureOf(await files.get(attachment)).reason === 'attachment_not_found';

describe('a comment', () => {
  it('shows the facts of the attachments that it names, and any other entry as it was given', async () => {
    const place = await files.newPlace();
    const { attachmentId } = await files.upload(place);
    const own = { attachmentId: 'mine', url: 'https://cdn.example.com/a.png', name: 'a.png' };
    const given = { attachmentId, caption: 'Notes', name: 'other.exe', size: 1 };
    const { thread } = await addThread(place, [given, own, 'text', 7, null]);
    const shown = { ...TEXT, attachmentId, caption: 'Notes' };
    expect(await attachmentsIn(thread)).toEqual([[shown, own, 'text', 7, null]]);
    const more = { commentId: 2, from, attachments: [{ attachmentId }] };
    dataOf(await server.call(`${comments}/add`, { ...thread, commentData: [more] }));
    const changed = { commentId: 1, attachments: [{ attachmentId }] };
    dataOf(await server.call(`${comments}/update`, { ...thread, commentData: [changed] }));
    const bare = { ...TEXT, attachmentId };
    expect(await attachmentsIn(thread)).toEqual([[bare], [bare]]);
  });

  it('names only completed attachments of its document', async () => {
    const place = await files.newPlace();
    const elsewhere = await files.upload({ ...place, documentId: 'other' });
    const { attachmentId: pending } = await files.announce(place);
    const deleted = await files.upload(place);
    await files.delete(deleted);
    const ofOthers = await files.upload(await files.newPlace());
    const theirs = await createTenant(server);
    const theirPlace = { organizationId: 'theirs', documentId: 'plan' };
    const directory = { createOrganization: true, documents: [{ documentId: 'plan' }] };
    const addition = { ...theirPlace, ...directory };
    dataOf(await server.call('/v2/organizations/documents/add', addition, theirs));
    const ofOtherKey = await files.upload(theirPlace, undefined, {}, theirs);
    const { thread } = await addThread(place, []);
    const others = [elsewhere, deleted, ofOthers, ofOtherKey].map((each) => each.attachmentId);
    for (const attachmentId of [...others, pending, '../a']) {
      const attachments = [{}, { attachmentId }];
      const { outcome } = await addThread(place, attachments);
      expect(outcome).toMatchObject({ success: false });
      expect(outcome.message).toContain('attachments[1].attachmentId');
      const added = { ...thread, commentData: [{ from }, { from, attachments }] };
      const path = 'commentData[1].attachments[1].attachmentId';
      expect((await server.call(`${comments}/add`, added)).body).toMatchObject(invalid(path));
      const changed = { ...thread, commentData: [{ commentId: 1, attachments }] };
      expect((await server.call(`${comments}/update`, changed)).body).toMatchObject(
        invalid('commentData[0].attachments[1].attachmentId'),
      );
    }
    expect(await attachmentsIn(thread)).toEqual([[]]);
  });

  it('takes its attachments with it when it is deleted, alone or with its thread', async () => {
    const place = await files.newPlace();
    const [first, second, other] = await Promise.all([1, 2, 3].map(() => files.upload(place)));
    const named = (attachment: { attachmentId?: string } | undefined) => [
      { attachmentId: attachment?.attachmentId },
    ];
    const { thread } = await addThread(place, named(first));
    const commentData = [{ from, attachments: named(second) }];
    dataOf(await server.call(`${comments}/add`, { ...thread, commentData }));
    dataOf(await server.call(`${comments}/delete`, { ...thread, commentIds: [2] }));
    const gone = () => Promise.all([first, second, other].map((one) => isGone(one ?? {})));
    expect(await gone()).toEqual([false, true, false]);
    const annotationIds = [thread.annotationId];
    dataOf(await server.call('/v2/commentannotations/delete', { ...place, annotationIds }));
    expect(await gone()).toEqual([true, true, false]);
  });

  it('that names no attachment costs no statement more', async () => {
    const place = await files.newPlace();
    const { thread } = await addThread(place, []);
    const add = (attachments: unknown[]) =>
      server.statementsOf(async () => {
        const commentData = [{ from, attachments }];
        dataOf(await server.call(`${comments}/add`, { ...thread, commentData }));
      });
    const { attachmentId } = await files.upload(place, HELLO);
    const without = await add([{ name: 'a.png' }]);
    expect(without.filter((text) => text.includes('FROM attachments'))).toEqual([]);
    const withOne = await add([{ attachmentId }]);
    const withMany = await add(Array.from({ length: 50 }, () => ({ attachmentId })));
    expect(withMany.length).toBe(withOne.length);
  });
});

describe('an erasure', () => {
  const erase = (userId: string, contents: string) =>
    server.call('/v2/users/data/delete', { userIds: [userId], contents });

  it.each([
    ['keep', false],
    ['remove', true],
  ])('with contents: %s leaves no trace of who uploaded a file', async (contents, removes) => {
    const { eraseUsersHandler } = await import('../../../src/features/erasure/erase-users-job.ts');
    const { erasureSteps } = await import('../../../src/features/erasure-steps.ts');
    const place = await files.newPlace();
    const userId = fresh('u-5c2');
    const users = [{ userId, name: 'Ada Lovelace' }];
    dataOf(await server.call('/v1/users/add', { ...place, documentId: undefined, users }));
    const name = 'CV of Ada Lovelace.txt';
    const attachment = await files.upload(place, HELLO, { userId, name });
    const others = await files.upload(place, HELLO, { userId: 'bob' });
    const { jobId } = dataOf(await erase(userId, contents));
    const { services } = server.app;
    const job = { tenantId: server.quickstart.apiKey, jobId };
    await eraseUsersHandler(erasureSteps).run(services, job, new AbortController().signal);
    expect(await isGone(attachment)).toBe(removes);
    expect(dataOf(await files.get(others)).userId).toBe('bob');
    const { rows } = await services.db.pool.query(
      'SELECT * FROM attachments WHERE tenant_id = $1',
      [server.quickstart.apiKey],
    );
    expect(JSON.stringify(rows)).not.toContain(userId);
    expect(JSON.stringify(rows)).not.toContain('Lovelace');
  });
});

describe('the attachment of a comment', () => {
  it('is for the users who see one of the comments that name it, and for its author', async () => {
    dataOf(await server.call('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true }));
    const place = await files.newPlace();
    const role = { type: 'document', id: 'plan', accessRole: 'editor', ...place };
    const [ada, bob, eve] = await Promise.all(
      ['ada', 'bob', 'eve'].map((userId) => userHeaders(server, userId, [role])),
    );
    const attachment = await files.upload(place, HELLO, {}, ada);
    const attachments = [{ attachmentId: attachment.attachmentId }];
    const commentData = [{ commentText: 'For Bob', attachments }];
    const add = (annotation: object) =>
      server.call(
        '/v2/commentannotations/add',
        { ...place, commentAnnotations: [annotation] },
        ada,
      );
    const reasonOf = async (headers: Record<string, string> = {}) =>
      failureOf(await files.get(attachment, headers)).reason;
    const toBob = {
      annotationId: fresh('to-bob'),
      visibility: { type: 'restricted', userIds: ['bob'] },
    };
    dataOf(await add({ ...toBob, commentData }));
    expect((await files.get(attachment, ada)).status).toBe(200);
    expect((await files.get(attachment, bob)).status).toBe(200);
    expect(await reasonOf(eve)).toBe('attachment_not_found');
    const missing = await files.get({ ...attachment, attachmentId: 'none' }, eve);
    expect((await files.get(attachment, eve)).body).toEqual(missing.body);
    expect((await files.get(attachment)).status).toBe(200);

    // Whoever learned the id opens the file to nobody by naming it.
    const byEve = { annotationId: fresh('by-eve'), commentData };
    const named = { ...place, commentAnnotations: [byEve] };
    dataOf(await server.call('/v2/commentannotations/add', named, eve));
    expect(await reasonOf(eve)).toBe('attachment_not_found');

    const open = { ...place, annotationId: fresh('open') };
    dataOf(await add({ annotationId: open.annotationId, commentData: [{}] }));
    dataOf(await server.call(`${comments}/add`, { ...open, commentData }, ada));
    expect((await files.get(attachment, eve)).status).toBe(200);
  });

  it('is deleted by users who may only comment if they uploaded it', async () => {
    const place = await files.newPlace();
    const documents = [{ documentId: 'plan', commentAccess: 'viewers' }];
    const { organizationId } = place;
    dataOf(await server.call('/v2/organizations/documents/update', { organizationId, documents }));
    const role = { type: 'document', id: 'plan', accessRole: 'viewer', ...place };
    const viewer = await userHeaders(server, fresh('viewer'), [role]);
    const [own, other] = [await files.upload(place, HELLO, {}, viewer), await files.upload(place)];
    expect((await files.delete(own, viewer)).status).toBe(200);
    expect(failureOf(await files.delete(other, viewer)).status).toBe('PERMISSION_DENIED');
  });
});
