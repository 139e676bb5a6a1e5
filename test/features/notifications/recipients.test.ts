import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadRecipients } from '../../../src/features/notifications/generate/recipients.ts';
import { unixSeconds } from '../../../src/platform/clock.ts';
import type { LoggedEvent } from '../../../src/platform/events/logged-events.ts';
import { annotationsOf, type Place, privateKey } from '../../support/annotations.ts';
import { dataOf } from '../../support/answers.ts';
import { testServer } from '../../support/server.ts';

const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };

let headers: Record<string, string>;
let comments: ReturnType<typeof annotationsOf>;
let place: Place;
const server = testServer({}, { clock });
beforeAll(async () => {
  headers = await privateKey(server);
  comments = annotationsOf(server, headers);
});
beforeEach(() => {
  place = comments.place();
});

const post = async (path: string, data: object) => dataOf(await server.call(path, data, headers));
const user = (userId: string) => ({ userId });
const says = (userId: string, more: object = {}) => ({
  commentText: 'Hello',
  from: user(userId),
  triggerNotification: true,
  ...more,
});
const tags = (...userIds: string[]) => ({ taggedUserContacts: userIds.map(user) });
const target = () => ({ ...place, annotationId: place.documentId });
const thread = async (more: object = {}, ...commentData: object[]) =>
  dataOf(await comments.add(place, [{ annotationId: place.documentId, commentData, ...more }]));
const reply = (comment: object) =>
  post('/v2/commentannotations/comments/add', { ...target(), commentData: [comment] });

/** Events of this test's document, oldest first. */
async function events(type: string, of = place): Promise<LoggedEvent[]> {
  await server.app.services.events.sequence();
  const tenantId = headers['x-svc-api-key'] ?? '';
  const query = { tenantId, after: '0', types: [type], limit: 1000 };
  const read = await server.app.services.events.read(query);
  return read.events.filter((event) => event.documentId === of.documentId);
}

const recipientsOf = (events: LoggedEvent[]) =>
  loadRecipients(
    server.app.services.db,
    headers['x-svc-api-key'] ?? '',
    events,
    unixSeconds(clock),
  );

/** The recipients of the last event of a type with their reasons, as `userId: reason`. */
async function recipientsOfLast(type: string): Promise<string[]> {
  const last = (await events(type)).slice(-1);
  return (await recipientsOf(last))
    .flatMap(({ recipients }) => recipients)
    .map(({ user: { userId }, reason }) => `${userId}: ${reason}`)
    .toSorted();
}

describe('the recipients of an event', () => {
  it('are the mentioned, the assigned and the subscribed users, without the acting user', async () => {
    await thread({ assignedTo: user('alan') }, says('ada', tags('grace', 'ada')));
    expect(await recipientsOfLast('comment_annotation.add')).toEqual([
      'alan: assigned',
      'grace: mentioned',
    ]);
    await reply(says('grace', tags('linus')));
    const replied = ['ada: subscribed', 'alan: assigned', 'linus: mentioned'];
    expect(await recipientsOfLast('comment.add')).toEqual(replied);
  });

  it('have the strongest reason', async () => {
    await thread({ assignedTo: user('alan') }, says('ada'), says('alan'));
    await reply(says('ada', tags('alan')));
    expect(await recipientsOfLast('comment.add')).toEqual(['alan: mentioned']);
  });

  it('are members of tagged groups, each once', async () => {
    await thread({}, says('ada'));
    const members = { organizationId: place.organizationId, users: ['m1', 'm2', 'ada'].map(user) };
    await post('/v1/users/add', members);
    await post('/v1/organizations/usergroups/users/add', {
      organizationId: place.organizationId,
      organizationUserGroupId: 'team',
      userIds: ['m1', 'm2', 'ada'],
    });
    const groups = [{ organizationUserGroupId: 'team' }, 'team', { groupId: 'none' }, 5, null];
    await reply(says('ada', { ...tags('m1'), toOrganizationUserGroup: groups }));
    expect(await recipientsOfLast('comment.add')).toEqual(['m1: mentioned', 'm2: mentioned']);
  });

  it('are empty without triggerNotification, and for a draft', async () => {
    await thread({}, says('ada', { ...tags('grace'), triggerNotification: false }));
    expect(await recipientsOfLast('comment_annotation.add')).toEqual([]);
    await reply(says('linus', { ...tags('grace'), isDraft: true }));
    expect(await recipientsOfLast('comment.add')).toEqual([]);
  });

  it('count as mentioned by an update only if they were not before', async () => {
    await thread({}, says('ada', tags('grace')));
    await post('/v2/commentannotations/comments/update', {
      ...target(),
      commentData: [{ commentId: 1, triggerNotification: true, ...tags('grace', 'linus') }],
    });
    const expected = ['grace: subscribed', 'linus: mentioned'];
    expect(await recipientsOfLast('comment.update')).toEqual(expected);
  });

  it('do not include users who unsubscribed since', async () => {
    await thread({}, says('ada'), says('grace'));
    await reply(says('linus'));
    expect(await recipientsOfLast('comment.add')).toEqual(['ada: subscribed', 'grace: subscribed']);
    const unsubscribe = { ...target(), userId: 'grace' };
    await post('/v2/commentannotations/unsubscribe', unsubscribe);
    expect(await recipientsOfLast('comment.add')).toEqual(['ada: subscribed']);
  });

  it('have their current name and address', async () => {
    await thread(
      {},
      says('ada', { taggedUserContacts: [{ userId: 'grace', email: 'old@a.com' }] }),
    );
    const grace = { userId: 'grace', email: 'new@a.com', name: 'Grace' };
    await post('/v1/users/add', { organizationId: place.organizationId, users: [grace] });
    const [first] = await recipientsOf(await events('comment_annotation.add'));
    expect(first?.recipients).toMatchObject([
      { user: grace, reason: 'mentioned', address: 'new@a.com' },
    ]);
  });
});

it('recipients are explained at once, also of an event that asked for no notifications', async () => {
  await thread({}, says('ada', { triggerNotification: false, ...tags('grace') }));
  const { steps } = await post('/v2/notifications/explain', { ...target(), userId: 'grace' });
  expect(steps).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ rule: 'requested', outcome: 'stops' }),
      expect.objectContaining({ rule: 'audience', outcome: 'passes' }),
    ]),
  );
});

describe('loading recipients', () => {
  it('needs as many statements for one event as for many in many organizations', async () => {
    const all: LoggedEvent[] = [];
    for (let n = 0; n < 5; n++) {
      place = comments.place();
      await thread({}, says('ada', { ...tags(`u-${n}`), toOrganizationUserGroup: ['none'] }));
      all.push(...(await events('comment_annotation.add')));
    }
    const counted = async (some: LoggedEvent[]) =>
      (
        await server.statementsOf(async () => {
          const found = await recipientsOf(some);
          expect(found.flatMap(({ recipients }) => recipients)).toHaveLength(some.length);
        })
      ).length;
    expect(await counted(all)).toBe(await counted(all.slice(0, 1)));
  });
});
