import { describe, expect, it } from 'vitest';
import { annotationsOf, userHeaders } from '../support/annotations.ts';
import { dataOf, fresh, invalid, type Loose } from '../support/answers.ts';
import { organize } from '../support/directory.ts';
import { eventsOf } from '../support/events.ts';
import { NOTIFICATION } from '../support/notifications.ts';
import { startTestServer } from '../support/server.ts';

const NOW = 1_800_000_000_000;
const THEN = NOW - 40 * 86_400_000;
const LATER = THEN + 3_600_000;
const server = await startTestServer({ ROLES: 'api' }, { clock: { now: () => NOW } });
const comments = annotationsOf(server);
const place = comments.place();
const { organizationId, documentId } = place;
await organize(server, organizationId, { documents: [documentId] });
const isEnabled = { activityServiceConfig: { isEnabled: true } };
dataOf(await server.call('/v2/workspace/activityconfig/update', isEnabled));

const ada = { userId: 'ada', name: 'Ada Lovelace' };
const grace = { userId: 'grace', name: 'Grace Hopper' };

const KINDS: Array<[path: string, field: string, inputWith: (time: object) => object]> = [
  [
    '/v2/commentannotations/add',
    'commentAnnotations[0].createdAt',
    (time) => ({ commentAnnotations: [{ commentData: [{ from: ada }], ...time }] }),
  ],
  [
    '/v2/commentannotations/add',
    'commentAnnotations[0].commentData[0].createdAt',
    (time) => ({ commentAnnotations: [{ commentData: [{ from: ada, ...time }] }] }),
  ],
  [
    '/v2/recordings/add',
    'recordings[0].createdAt',
    (time) => ({ recordings: [{ url: 'https://a.example.com/a.mp4', from: ada, ...time }] }),
  ],
  [
    '/v2/activities/add',
    'activities[0].timestamp',
    (time) => ({ activities: [{ featureType: 'a', actionType: 'a.b', ...time }] }),
  ],
  ['/v2/notifications/add', 'timestamp', (time) => ({ ...NOTIFICATION, ...time })],
];

const named = (field: string, time: number) => ({ [field.replace(/^.*\./, '')]: time });

describe('the times of what an API key imports', () => {
  it.each(KINDS)('%s keeps the time that %s says', async (path, field, inputWith) => {
    const answer = await server.call(path, { ...place, ...inputWith(named(field, THEN)) });
    const [id] = Object.keys(dataOf(answer));
    const get = path.replace(/add$/, 'get');
    const found = dataOf(await server.call(get, { ...place, order: 'asc' }));
    const one = found.find((each: Loose) =>
      [each.id, each.annotationId, each.recordingId].includes(id),
    );
    expect(one.createdAt ?? one.timestamp).toBe(THEN);
  });

  it.each(KINDS)('%s refuses a time in the future as %s', async (path, field, inputWith) => {
    const input = { ...place, ...inputWith(named(field, NOW + 1)) };
    const { body } = await server.call(path, input);
    expect(body).toEqual(invalid(field));
  });

  it('keeps a thread as it was, and publishes it as later reads show it', async () => {
    const own = comments.place();
    const annotationId = fresh('annotation');
    const thread = {
      annotationId,
      status: { id: 'RESOLVED' },
      resolvedByUserId: 'grace',
      commentData: [
        { commentId: 4, commentText: 'Shorter?', from: ada, createdAt: THEN },
        { commentId: 9, commentText: 'Yes', from: grace, createdAt: LATER, lastUpdated: LATER + 5 },
      ],
      reactions: [
        { commentId: 9, icon: '👍', from: ada, lastUpdated: LATER + 9 },
        { commentId: 9, icon: '👍', from: grace, lastUpdated: LATER + 7 },
      ],
    };
    dataOf(await comments.add(own, [thread]));
    const [shown] = await comments.get(own);
    expect(shown).toMatchObject({
      annotationId,
      createdAt: THEN,
      lastUpdated: LATER + 5,
      resolvedByUserId: 'grace',
      comments: [
        { commentId: 4, createdAt: THEN, reactionAnnotations: [] },
        {
          commentId: 9,
          createdAt: LATER,
          lastUpdated: new Date(LATER + 5).toISOString(),
          reactionAnnotations: [
            {
              icon: '👍',
              fromUsers: [
                { lastUpdated: LATER + 7, from: grace },
                { lastUpdated: LATER + 9, from: ada },
              ],
            },
          ],
        },
      ],
    });
    const [event] = await eventsOf(server, own.organizationId, ['comment_annotation.add']);
    expect(event?.data).toMatchObject(shown);
  });

  it('refuses a change before the creation, and a reaction to no comment of the call', async () => {
    const early = { createdAt: THEN, lastUpdated: THEN - 1 };
    expect((await comments.add(place, [early])).body).toEqual(
      invalid('commentAnnotations[0].lastUpdated'),
    );
    const stray = { reactions: [{ commentId: 3, icon: '👍', from: ada }] };
    expect((await comments.add(place, [stray])).body).toEqual(
      invalid('commentAnnotations[0].reactions[0].commentId'),
    );
  });

  it('takes activities of several documents in one call', async () => {
    const documentId = fresh('doc');
    const activity = { activityId: documentId, featureType: 'a', actionType: 'a.b', documentId };
    dataOf(await server.call('/v2/activities/add', { ...place, activities: [activity] }));
    const own = { organizationId: place.organizationId, documentId };
    expect(dataOf(await server.call('/v2/activities/get', own))).toHaveLength(1);
  });

  it('keeps the newest comment the last one when an older one is added', async () => {
    const own = comments.place();
    const annotationId = fresh('annotation');
    const first = { from: ada, createdAt: LATER };
    dataOf(await comments.add(own, [{ annotationId, commentData: [first] }]));
    const commentData = [{ from: grace, createdAt: THEN }];
    dataOf(await comments.call('comments/add', { ...own, annotationId, commentData }));
    const [shown] = await comments.get(own);
    expect(shown).toMatchObject({ createdAt: LATER, lastUpdated: LATER });
    expect(shown.comments[1].createdAt).toBe(THEN);
  });

  it('takes neither times nor reactions of others from users', async () => {
    const own = comments.place();
    dataOf(await comments.add(own, [{}]));
    const resources = [{ type: 'document', id: own.documentId, ...own, accessRole: 'editor' }];
    const headers = await userHeaders(server, 'grace', resources);
    const annotationId = fresh('annotation');
    const given = {
      annotationId,
      createdAt: THEN,
      commentData: [{ commentId: 1, createdAt: THEN }],
      reactions: [{ commentId: 1, icon: '👍', from: ada }],
    };
    dataOf(await comments.add(own, [given], {}, headers));
    const [shown] = await comments.get({ ...own, annotationIds: [annotationId] });
    expect(shown.createdAt).toBe(NOW);
    expect(shown.comments).toMatchObject([{ createdAt: NOW, reactionAnnotations: [] }]);
  });
});
