import { describe, expect, it } from 'vitest';
import { type Place, userHeaders } from '../../support/annotations.ts';
import { dataOf, fresh, invalid, type Loose, pagesOf } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { notificationsOf } from '../../support/notifications.ts';
import { testServer } from '../../support/server.ts';

const server = testServer();
const calls = notificationsOf(server);

const get = (data: object, headers?: Record<string, string>) =>
  server.call('/v2/users/data/get', data, headers);

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

async function addRecordings(place: object, userId: string, count: number, prefix = 'r') {
  if (count === 0) return;
  const recordings = upTo(count).map((n) => ({
    recordingId: `${prefix}-${n}`,
    url: 'https://media.example.com/a.mp4',
    from: { userId },
  }));
  await server.ok('/v2/recordings/add', { ...place, recordings });
}

/** Adds uploaded files, and one that is not completed. */
const addAttachments = ({ organizationId, documentId }: Place, userId: string, count: number) =>
  server.app.services.db.pool.query(
    `INSERT INTO attachments (tenant_id, organization_id, document_id, attachment_id, author_id,
       name, type, size, created_ms, completed)
     SELECT $1, $2, $3, $3 || '-' || n, $4, 'a', 'text/plain', 1, 1, n < $5
     FROM generate_series(0, $5::int) AS n`,
    [server.quickstart.apiKey, organizationId, documentId, userId, count],
  );

/** A user with notifications, recordings and attachments on an open and a closed document. */
async function filled(notifications: number, recordings: number) {
  const organizationId = fresh('org');
  const userId = fresh('user');
  await organize(server, organizationId, {
    documents: ['open', { documentId: 'closed', accessType: 'restricted' }],
  });
  for (const documentId of ['open', 'closed']) {
    const place = { organizationId, documentId };
    for (const n of upTo(notifications)) {
      const notificationId = `${documentId}-${n}`;
      await calls.add({ ...place, notificationId, notifyUsers: [{ userId }] });
    }
    await addRecordings(place, userId, recordings, documentId);
    await addAttachments(place, userId, notifications);
    await addRecordings(place, 'somebody else', 1, 'other');
  }
  return { organizationId, userId };
}

const KINDS = [
  ['recordings', 'recordingId'],
  ['notifications', 'id'],
  ['attachments', 'attachmentId'],
] as const;
type Kind = (typeof KINDS)[number][0];

/** Reads all pages, and runs `between` after each. */
async function readAll(
  person: object,
  between: (page: number) => Promise<unknown>,
  headers?: Record<string, string>,
) {
  const all = { recordings: [], notifications: [], attachments: [] } as Record<Kind, string[]>;
  const sizes: number[][] = [];
  const read = async (pageToken?: string) => {
    const { result } = (await get({ ...person, pageToken }, headers)).body;
    expect(result).toHaveProperty('nextPageToken');
    return result;
  };
  for await (const { data } of pagesOf(read)) {
    for (const [kind, id] of KINDS) all[kind].push(...data[kind].map((one: Loose) => one[id]));
    sizes.push(KINDS.map(([kind]) => data[kind].length));
    await between(sizes.length);
  }
  return { ...all, sizes };
}

const nothing = async () => undefined;

describe('users/data/get', () => {
  it('returns each item once, at most 100 of a kind a page, while others are added and deleted', async () => {
    const person = await filled(60, 130);
    const place = { organizationId: person.organizationId, documentId: 'open' };
    const { sizes, ...all } = await readAll(person, async (page) => {
      await addRecordings(place, person.userId, 1, `late-${page}`);
      await calls.add({ ...place, notifyUsers: [{ userId: person.userId }] });
      const recordingIds = [`open-${page}`];
      await server.ok('/v2/recordings/delete', { ...place, recordingIds });
    });
    // The recording and the notification that were added after the first page come in the second.
    expect(sizes.slice(0, 2)).toEqual([
      [100, 100, 100],
      [100, 21, 20],
    ]);
    for (const [kind, seen] of Object.entries(all)) {
      const count = kind === 'recordings' ? 130 : 60;
      expect(new Set(seen).size).toBe(seen.length);
      const there = ['open', 'closed'].flatMap((document) =>
        upTo(count).map((n) => `${document}-${n}`),
      );
      expect(seen).toEqual(expect.arrayContaining(there));
    }
  });

  it('returns to users their own data, as far as they may see it', async () => {
    const person = await filled(2, 3);
    const headers = await userHeaders(server, person.userId, []);
    const own = await readAll(person, nothing, headers);
    expect(own.recordings).toEqual(['open-0', 'open-1', 'open-2']);
    expect(own.notifications).toEqual(['open-0', 'open-1']);
    expect(own.attachments).toEqual(['open-0', 'open-1']);
  });

  it('refuses a page token of another user', async () => {
    const person = await filled(0, 60);
    const { nextPageToken: pageToken } = (await get(person)).body.result;
    const answer = await get({ ...person, userId: 'somebody else', pageToken });
    expect(answer.body).toEqual(invalid('pageToken'));
  });
});

it('users/data/get returns annotations that name the user in any role, and reactions of the user, but no others', async () => {
  const organizationId = fresh('org');
  await organize(server, organizationId, { documents: ['open'] });
  const place = { organizationId, documentId: 'open' };
  const idOf = (name: string) => `${organizationId}-${name}`;
  const note = (name: string, from: string, taggedUserContacts: object[] = []) => ({
    annotationId: idOf(name),
    commentData: [{ commentId: 1, commentText: 'Hi', from: { userId: from }, taggedUserContacts }],
  });
  const commentAnnotations = [
    note('own', 'ada'),
    note('mentioned', 'grace', [{ userId: 'ada' }]),
    note('other', 'grace'),
    { ...note('assigned', 'grace'), assignedTo: { userId: 'ada' } },
    note('resolved', 'grace'),
  ];
  await server.ok('/v2/commentannotations/add', { ...place, commentAnnotations });
  const updatedData = { status: { id: 'RESOLVED' }, resolvedByUserId: 'ada' };
  const resolved = { organizationId, annotationIds: [idOf('resolved')], updatedData };
  await server.ok('/v2/commentannotations/update', resolved);
  const target = { ...place, annotationId: idOf('other'), commentId: 1 };
  const reaction = { ...target, icon: '👍', userId: 'ada', from: { userId: 'ada' } };
  await server.ok('/v2/commentannotations/reactions/add', reaction);

  const { comments, reactions } = dataOf(await get({ organizationId, userId: 'ada' }));
  const ids = comments.map((one: { annotationId: string }) => one.annotationId);
  expect(ids).toEqual(['assigned', 'mentioned', 'own', 'resolved'].map(idOf));
  expect(reactions).toHaveLength(1);
  expect(reactions[0]).toMatchObject({ icon: '👍', commentAnnotationId: target.annotationId });
  const others = dataOf(await get({ organizationId, userId: 'nobody' }));
  expect(others).toMatchObject({ comments: [], reactions: [] });
});
