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

const url = 'https://a.example.com/a.mp4';
const activity = { featureType: 'a', actionType: 'a.b' };
/** What an API key imports, with a time in the field that is named. */
const KINDS: Array<[what: string, field: string, inputWith: (time: number) => object]> = [
  [
    'commentannotations',
    'commentAnnotations[0].createdAt',
    (createdAt) => ({ commentAnnotations: [{ commentData: [{ from: ada }], createdAt }] }),
  ],
  [
    'commentannotations',
    'commentAnnotations[0].commentData[0].createdAt',
    (createdAt) => ({ commentAnnotations: [{ commentData: [{ from: ada, createdAt }] }] }),
  ],
  [
    'recordings',
    'recordings[0].createdAt',
    (createdAt) => ({ recordings: [{ url, from: ada, createdAt }] }),
  ],
  [
    'activities',
    'activities[0].timestamp',
    (timestamp) => ({ activities: [{ ...activity, timestamp }] }),
  ],
  ['notifications', 'timestamp', (timestamp) => ({ ...NOTIFICATION, timestamp })],
];

describe('the times of what an API key imports', () => {
  it.each(KINDS)(
    '%s keep the time of %s, unless it is in the future',
    async (what, field, inputWith) => {
      const [id] = Object.keys(
        await server.ok(`/v2/${what}/add`, { ...place, ...inputWith(THEN) }),
      );
      const found: Loose[] = await server.ok(`/v2/${what}/get`, { ...place, order: 'asc' });
      const ids = (each: Loose) => [each.id, each.annotationId, each.recordingId];
      const one = found.find((each) => ids(each).includes(id));
      expect(one.createdAt ?? one.timestamp).toBe(THEN);
      const refused = await server.call(`/v2/${what}/add`, { ...place, ...inputWith(NOW + 1) });
      expect(refused.body).toEqual(invalid(field));
    },
  );

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
    const lastUpdated = new Date(LATER + 5).toISOString();
    expect(shown).toMatchObject({
      ...{ annotationId, createdAt: THEN, lastUpdated: LATER + 5, resolvedByUserId: 'grace' },
      comments: [
        { commentId: 4, createdAt: THEN, reactionAnnotations: [] },
        { commentId: 9, createdAt: LATER, lastUpdated, reactionAnnotations: [{ icon: '👍' }] },
      ],
    });
    expect(shown.comments[1].reactionAnnotations[0].fromUsers).toMatchObject([
      { lastUpdated: LATER + 7, from: grace },
      { lastUpdated: LATER + 9, from: ada },
    ]);
    const [event] = await eventsOf(server, own.organizationId, ['comment_annotation.add']);
    expect(event?.data).toMatchObject(shown);
  });

  it('refuses a change before the creation, and a reaction to no comment of the call', async () => {
    const early = { createdAt: THEN, lastUpdated: THEN - 1 };
    const stray = { reactions: [{ commentId: 3, icon: '👍', from: ada }] };
    for (const [annotation, field] of [
      [early, 'lastUpdated'],
      [stray, 'reactions[0].commentId'],
    ] as const) {
      const { body } = await comments.add(place, [annotation]);
      expect(body).toEqual(invalid(`commentAnnotations[0].${field}`));
    }
  });

  it('takes activities of several documents in one call', async () => {
    const other = { organizationId, documentId: fresh('doc') };
    const activities = [{ ...activity, documentId: other.documentId }];
    await server.ok('/v2/activities/add', { ...place, activities });
    expect(await server.ok('/v2/activities/get', other)).toHaveLength(1);
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
