import { describe, expect, it } from 'vitest';
import { annotationsOf, privateKey, userHeaders } from '../../support/annotations.ts';
import { dataOf, failureOf, fresh, UNUSUAL_IDS } from '../../support/answers.ts';
import { eventsOf } from '../../support/events.ts';
import { createTenant, testServer } from '../../support/server.ts';

const server = testServer({ ROLES: 'api' });
const comments = annotationsOf(server);

const ada = { userId: 'ada', name: 'Ada Lovelace' };
const grace = { userId: 'grace', name: 'Grace Hopper' };

describe('commentannotations/add', () => {
  it('adds an annotation with all fields of 2.11, and publishes it', async () => {
    const place = comments.place();
    const annotationId = fresh('annotation');
    const given = {
      annotationId,
      location: { id: 7, version: { id: 'v2', name: 'Second' } },
      priority: { id: 'P1', name: 'High', color: '#f00' },
      assignedTo: grace,
      pageInfo: { url: 'https://example.com/plan', title: 'Plan' },
      customList: [{ id: 'tag' }],
    };
    const comment = {
      commentText: 'Shorter, @Grace?',
      commentHtml: '<p onclick="x()">Shorter, <b>@Grace</b>?<script>1</script></p>',
      from: ada,
      taggedUserContacts: [grace],
      attachments: [{ attachmentId: 1, url: 'https://example.com/a.png' }],
    };
    const access = { team: ['red', 'blue'] };
    const metadata = { sdkVersion: '4.5.4' };
    const answer = await comments.add(place, [
      { ...given, metadata, context: { access }, commentData: [comment] },
    ]);
    const message = 'Annotation added.';
    expect(dataOf(answer)).toEqual({
      [annotationId]: { success: true, annotationId, commentIds: [1], message },
    });
    const [annotation] = await comments.get(place);
    expect(annotation).toMatchObject({
      ...given,
      ...{ annotationNumber: 1, annotationIndex: 1, type: 'comment', hasDraftComments: false },
      locationId: 7,
      context: { access, accessFields: ['team:blue', 'team:red'] },
      visibilityConfig: { type: 'public' },
      metadata: { ...metadata, apiKey: server.quickstart.apiKey, ...place },
      from: ada,
      subscribedUsers: {
        ada: { user: ada, type: 'auto' },
        grace: { user: grace, type: 'auto' },
      },
      unsubscribedUsers: {},
      status: { id: 'OPEN', name: 'Open', type: 'default' },
      comments: [
        {
          ...comment,
          ...{ commentId: 1, type: 'text', status: 'added', isDraft: false },
          ...{ isCommentTextAvailable: true, reactionAnnotations: [] },
        },
      ],
    });
    const [published] = await eventsOf(server, place.organizationId, ['comment_annotation.add']);
    const event = { actionUser: ada, commentIds: [1], triggerNotification: false };
    expect(published?.data).toEqual({ ...annotation, ...event });
  });

  it('completes users with their stored fields', async () => {
    const place = comments.place();
    const user = { ...ada, userId: fresh('user'), email: 'ada@example.com' };
    dataOf(await server.call('/v1/users/add', { ...place, documentId: undefined, users: [user] }));
    const commentData = [{ commentText: 'x', from: { userId: user.userId } }];
    dataOf(await comments.add(place, [{ commentData }]));
    const [annotation] = await comments.get(place);
    expect(annotation.from).toEqual({ ...user, initial: 'A' });
  });

  it('refuses an id that exists anywhere in the key, and adds a duplicate once', async () => {
    const [place, other] = [comments.place(), comments.place()];
    const annotationId = fresh('annotation');
    dataOf(await comments.add(place, [{ annotationId }]));
    const again = dataOf(await comments.add(other, [{ annotationId }, { annotationId: 'b' }]));
    expect(again[annotationId]).toMatchObject({ success: false, commentIds: [] });
    const twice = [{ annotationId: 'twice' }, { annotationId: 'twice', type: 'suggestion' }];
    dataOf(await comments.add(other, twice));
    const found = await comments.get({ ...other, order: 'asc' });
    expect(found.map((each) => [each.annotationNumber, each.annotationId, each.type])).toEqual([
      [1, 'b', 'comment'],
      [2, 'twice', 'suggestion'],
    ]);
  });

  it('accepts unusual ids', async () => {
    const place = comments.place();
    const annotations = UNUSUAL_IDS.map((annotationId) => ({ annotationId }));
    const outcomes = dataOf(await comments.add(place, annotations));
    expect(Object.keys(outcomes).sort()).toEqual([...UNUSUAL_IDS].sort());
    expect((await comments.ids(place)).sort()).toEqual([...UNUSUAL_IDS].sort());
  });

  it('refuses private comments unless they are enabled for the key, and unknown authors', async () => {
    const place = comments.place();
    const visibility = { type: 'restricted', userIds: ['ada'] };
    expect(failureOf(await comments.add(place, [{ visibility }])).status).toBe(
      'FAILED_PRECONDITION',
    );
    const headers = await privateKey(server);
    dataOf(await comments.add(place, [{ visibility }], {}, headers));
    const [annotation] = await comments.get(place, headers);
    expect(annotation.visibilityConfig).toEqual(visibility);
    const anonymous = await comments.add(place, [{ commentData: [{ commentText: 'x' }] }]);
    const path = 'commentAnnotations[0].commentData[0].from';
    expect(anonymous.body.error.details.issues[0].path).toBe(path);
  });

  it('sets the user of a user token as author, who has to be an editor', async () => {
    const place = comments.place();
    dataOf(await comments.add(place, [{}]));
    const [userId, reader] = [fresh('user'), fresh('user')];
    const grant = { type: 'document', id: place.documentId, organizationId: place.organizationId };
    const headers = await userHeaders(server, userId, [grant]);
    const viewer = await userHeaders(server, reader, [{ ...grant, accessRole: 'viewer' }]);
    const annotation = { annotationId: fresh('annotation') };
    dataOf(await comments.add(place, [annotation], {}, headers));
    const [mine] = await comments.get({ ...place, userIds: [userId] });
    expect(mine).toMatchObject({ ...annotation, from: { userId } });
    expect(mine.comments[0].from.userId).toBe(userId);
    const [, published] = await eventsOf(server, place.organizationId, ['comment_annotation.add']);
    expect(published?.data).toMatchObject({ triggerNotification: true, actionUser: { userId } });
    expect(failureOf(await comments.add(place, [{}], {}, viewer)).status).toBe('PERMISSION_DENIED');
    const elsewhere = await comments.add(comments.place(), [{}], {}, headers);
    expect(failureOf(elsewhere).status).toBe('PERMISSION_DENIED');
  });

  it('verifies authors on request', async () => {
    const place = comments.place();
    dataOf(await comments.add(place, [{}]));
    const annotationId = fresh('annotation');
    const more = { verifyUserPermissions: true };
    const refused = dataOf(await comments.add(place, [{ annotationId }], more));
    expect(refused[annotationId]).toMatchObject({ success: false });
    const [annotation] = await comments.get(place);
    expect(annotation.annotationNumber).toBe(1);
  });

  it('makes members of named users for keys that want that, but not of refused authors', async () => {
    const headers = await createTenant(server);
    const update = { requireAutoOrgUser: true };
    dataOf(await server.call('/v2/workspace/apikeyconfig/update', update, headers));
    const place = comments.place();
    const by = (userId: string) => ({ commentData: [{ commentText: 'x', from: { userId } }] });
    dataOf(await comments.add(place, [{ annotationId: 'first', ...by('ada') }], {}, headers));
    const items = [
      { annotationId: 'first', ...by('refused') },
      { annotationId: 'second', ...by('grace') },
    ];
    dataOf(await comments.add(place, items, {}, headers));
    const { organizationId } = place;
    const members = dataOf(await server.call('/v2/users/get', { organizationId }, headers));
    expect(members.map(({ userId }: { userId: string }) => userId)).toEqual(['ada', 'grace']);
  });

  it('numbers the annotations of a document without gaps under concurrency', async () => {
    const place = comments.place();
    const shared = fresh('shared');
    await Promise.all(
      Array.from({ length: 12 }, async () =>
        dataOf(await comments.add(place, [{ annotationId: shared }, {}, {}])),
      ),
    );
    const found = await comments.get(place);
    const numbers = found.map((annotation) => annotation.annotationNumber).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
    const published = await eventsOf(server, place.organizationId, ['comment_annotation.add']);
    expect(published).toHaveLength(25);
  });

  it('needs a constant number of statements, also with 1,000 mentions', async () => {
    const count = async (size: number) => {
      const place = comments.place();
      dataOf(await comments.add(place, [{}]));
      const tagged = Array.from({ length: size }, (_, n) => ({ userId: `mentioned-${n}` }));
      const commentData = [{ commentText: 'x', from: ada, taggedUserContacts: tagged }];
      const annotations = Array.from({ length: Math.min(size, 20) }, () => ({ commentData }));
      const work = async () => dataOf(await comments.add(place, annotations));
      const statements = await server.statementsOf(work);
      const own = /comment|annotation|FROM (users|documents|organizations)/;
      // Large events are inserted in several statements of half a megabyte each.
      const isEvent = (text: string) => /^\s*INSERT INTO event_outbox/.test(text);
      return statements.filter((text) => own.test(text) && !isEvent(text)).length;
    };
    expect([await count(1), await count(1000)]).toEqual([7, 7]);
  });
});
