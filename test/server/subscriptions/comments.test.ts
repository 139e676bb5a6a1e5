import { beforeEach, describe, expect, it } from 'vitest';
import {
  annotationsOf,
  keyWithPrivateComments,
  type Place,
  userHeaders,
} from '../../support/annotations.ts';
import { dataOf, fresh } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { eventsOf } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { createTenant, startTestServer } from '../../support/server.ts';
import { type Subscription, subscribe } from '../../support/subscriptions.ts';

let place: Place;
const server = await startTestServer();
const headers = await keyWithPrivateComments(server);
const annotations = annotationsOf(server, headers);

const follow = (input: object = place, own = headers) =>
  subscribe(server.url, own, 'comments', input);

/** Adds an annotation in the place, and returns its id. */
async function add(annotation: object = {}): Promise<string> {
  const annotationId = fresh('annotation');
  dataOf(await annotations.add(place, [{ annotationId, ...annotation }]));
  return annotationId;
}

const update = async (annotationId: string, updatedData: object) =>
  dataOf(
    await annotations.call('update', { ...place, annotationIds: [annotationId], updatedData }),
  );

const user = (userId: string, grant: object = {}) => {
  const { organizationId } = place;
  const resource = { type: 'organization', id: organizationId, organizationId, ...grant };
  return userHeaders(server, userId, [resource], headers);
};

/** Waits for a marker that everybody sees, so everything published before it has arrived. */
async function settled(...all: Subscription[]): Promise<void> {
  const marker = await add();
  for (const { items } of all) {
    await eventually(() => expect(items.at(-1)?.data.data.annotationId).toBe(marker));
    items.pop();
  }
}

const newestEvent = async (): Promise<string> =>
  (await server.ok('/v2/events/get', {}, headers)).events.at(-1).id;

beforeEach(async () => {
  place = annotations.place();
  await add();
});

const SECRET = [{ commentText: 'Secret', from: { userId: 'a' } }];
const hidden = { type: 'restricted', userIds: [] };
const remove = (annotationId: string) =>
  annotations.ok('delete', { ...place, annotationIds: [annotationId] });

const changesOf = ({ items }: Subscription) =>
  items.map(({ data }) => `${data.type} ${data.data.annotationId}`);

describe('comments.changes', () => {
  it("streams the changes of the document's comments, and no others", async () => {
    const seen = await follow();
    const annotationId = await add();
    await annotations.add({ ...place, documentId: fresh('other') }, [{}]);
    await annotations.add({ ...place, organizationId: fresh('other') }, [{}]);
    const commentData = [{ commentText: 'Done.', from: { userId: 'grace' } }];
    await annotations.ok('comments/add', { ...place, annotationId, commentData });
    await remove(annotationId);
    await eventually(() => expect(seen.items).toHaveLength(3));
    expect(changesOf(seen)).toEqual([
      `comment_annotation.add ${annotationId}`,
      `comment.add ${annotationId}`,
      `comment_annotation.delete ${annotationId}`,
    ]);
    const [, added, deleted] = seen.items;
    expect(added?.data).toMatchObject({
      metadata: { apiKey: headers['x-svc-api-key'], ...place },
      data: { commentIds: [2], comments: [{ commentId: 1 }, { commentText: 'Done.' }] },
    });
    expect(deleted?.data.data).toEqual({ annotationId });
  });

  it('resumes from far behind, page by page', async () => {
    const lastEventId = await newestEvent();
    const ids = Array.from({ length: 250 }, () => ({ annotationId: fresh('many') }));
    dataOf(await annotations.add(place, ids));
    const expected = ids.map(({ annotationId }) => `comment_annotation.add ${annotationId}`);
    for (const own of [headers, await user('ada')]) {
      const seen = await follow({ ...place, lastEventId }, own);
      await eventually(() => expect(seen.items.length).toBeGreaterThanOrEqual(250));
      expected.push(`comment_annotation.add ${await add()}`);
      await eventually(() => expect(changesOf(seen)).toEqual(expected));
    }
  });
});

describe('a private annotation', () => {
  it('is streamed by the access context that the user holds at that moment', async () => {
    const context = { access: { team: ['red'] } };
    const ofBlue = { context: { access: { team: ['blue'] } } };
    const red = await follow(place, await user('red', { context }));
    const blue = await follow(place, await user('blue', ofBlue));
    const first = await add({ context });
    await settled(red, blue);
    await user('blue', { context });
    const second = await add({ context });
    await settled(red, blue);
    expect(changesOf(red)).toEqual([first, second].map((id) => `comment_annotation.add ${id}`));
    expect(changesOf(blue)).toEqual([`comment_annotation.add ${second}`]);
  });

  it('looks deleted to users who lose sight of it, and is sent whole when they regain it', async () => {
    const annotationId = await add();
    const ada = await follow(place, await user('ada'));
    const grace = await follow(place, await user('grace'));
    await update(annotationId, { visibility: { type: 'restricted', userIds: ['ada'] } });
    await annotations.ok('comments/add', { ...place, annotationId, commentData: SECRET });
    await settled(ada, grace);
    expect(ada.types()).toEqual(['comment_annotation.access_mode_change', 'comment.add']);
    expect(changesOf(grace)).toEqual([`comment_annotation.delete ${annotationId}`]);
    expect(grace.items[0]?.data.data).toEqual({ annotationId });

    grace.items.length = 0;
    await update(annotationId, { visibility: { type: 'public' }, status: { id: 'RESOLVED' } });
    await settled(grace);
    expect(grace.types()).toContain('comment_annotation.access_mode_change');
    for (const { data } of grace.items) {
      expect(data.data.comments).toHaveLength(2);
      expect(data.data).not.toHaveProperty('previous');
    }
  });

  it('stays hidden from later subscribers, also if it was public when published', async () => {
    const lastEventId = await newestEvent();
    const [first, gone] = [await add({ commentData: SECRET }), await add({ commentData: SECRET })];
    for (const id of [first, gone]) await update(id, { visibility: hidden });
    await remove(gone);
    const ada = await follow({ ...place, lastEventId }, await user('ada'));
    await settled(ada);
    expect(JSON.stringify(ada.items)).not.toContain('Secret');
    const deleted = [first, gone].map((id) => `comment_annotation.delete ${id}`);
    expect(changesOf(ada).sort()).toEqual(deleted.sort());
  });
});

describe('an annotation whose id is used again', () => {
  const addAgain = (annotationId: string, to: Place, visibility: object) =>
    annotations.add(to, [{ annotationId, visibility }]);

  it('is deleted for users who saw it, and may not see the new one', async () => {
    const lastEventId = await newestEvent();
    const annotationId = await add();
    await remove(annotationId);
    dataOf(await addAgain(annotationId, place, hidden));
    const zoe = await follow({ ...place, lastEventId }, await user('zoe'));
    await settled(zoe);
    expect(zoe.types()).toEqual(['comment_annotation.add', 'comment_annotation.delete']);
  });

  it('is deleted for users from whom it was hidden before, and who may see the new one elsewhere', async () => {
    const lastEventId = await newestEvent();
    const annotationId = await add();
    await update(annotationId, { visibility: hidden });
    await remove(annotationId);
    const elsewhere = { ...place, documentId: fresh('elsewhere') };
    await organize(server, place.organizationId, { documents: [elsewhere.documentId] }, headers);
    dataOf(await addAgain(annotationId, elsewhere, { type: 'public' }));
    const zoe = await follow({ ...place, lastEventId }, await user('zoe'));
    await settled(zoe);
    expect(changesOf(zoe)).toEqual([`comment_annotation.delete ${annotationId}`]);
  });
});

it('a document whose id is used again shows nothing of the deleted one to who resumes', async () => {
  const lastEventId = await newestEvent();
  await add({ commentData: SECRET });
  const { organizationId, documentId } = place;
  const documents = '/v2/organizations/documents';
  const ids = { organizationId, documentIds: [documentId] };
  await server.ok(`${documents}/delete`, ids, headers);
  await server.ok(`${documents}/add`, { organizationId, documents: [{ documentId }] }, headers);
  const { failure, items } = await follow({ ...place, lastEventId }, await user('zoe'));
  expect(items).toEqual([]);
  expect(failure?.data).toMatchObject({ status: 'OUT_OF_RANGE' });
});

describe('a refused subscription', () => {
  const failureOf = async (input: object, own = headers) => {
    const { failure, items } = await follow(input, own);
    expect(items).toEqual([]);
    return failure?.data;
  };

  it.each([
    ['organizationId', { documentId: 'plan' }],
    ['documentId', { organizationId: 'acme', documentId: 5 }],
    ['lastEventId', { organizationId: 'acme', documentId: 'plan', lastEventId: 'x'.repeat(21) }],
  ])('names %s as the problem of %j', async (path, input) => {
    const data = await failureOf(input);
    expect(data).toMatchObject({ status: 'INVALID_ARGUMENT', httpStatus: 400 });
    expect(data?.details).toMatchObject({ issues: [{ path }] });
  });

  it('gets OUT_OF_RANGE for an event that is not in the log of this key', async () => {
    const theirs = annotationsOf(server, await createTenant(server));
    const elsewhere = theirs.place();
    await theirs.add(elsewhere, [{}]);
    const answers = [];
    const [foreign] = await eventsOf(server, elsewhere.organizationId);
    for (const lastEventId of ['x'.repeat(20), foreign?.id ?? 'y'.repeat(20)]) {
      answers.push(await failureOf({ ...place, lastEventId }));
    }
    expect(answers[0]).toMatchObject({ status: 'OUT_OF_RANGE', httpStatus: 400 });
    expect(answers[1]).toEqual(answers[0]);
  });

  it('looks the same to users for a missing document and a hidden one', async () => {
    const { organizationId } = place;
    const documents = [{ documentId: 'closed', accessType: 'restricted' }];
    await organize(server, organizationId, { documents }, headers);
    const ada = await userHeaders(server, 'ada', [], headers);
    const closed = await failureOf({ ...place, documentId: 'closed' }, ada);
    const missing = await failureOf({ ...place, documentId: 'none' }, ada);
    expect(closed).toMatchObject({ status: 'PERMISSION_DENIED', httpStatus: 403 });
    expect(missing).toEqual(closed);
  });

  it('names unknown places to an API key', async () => {
    expect(await failureOf({ ...place, documentId: 'none' })).toMatchObject({
      status: 'INVALID_ARGUMENT',
      details: { reason: 'document_not_found' },
    });
    const unknown = { details: { reason: 'organization_not_found' } };
    expect(await failureOf({ ...place, organizationId: 'none' })).toMatchObject(unknown);
    expect(await failureOf(place, await createTenant(server))).toMatchObject(unknown);
  });
});
