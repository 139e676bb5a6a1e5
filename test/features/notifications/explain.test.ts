import { beforeEach, describe, expect, it } from 'vitest';
import { releaseBatches } from '../../../src/features/notifications/generate/batches.ts';
import { userHeaders } from '../../support/annotations.ts';
import { failureOf, type Loose } from '../../support/answers.ts';
import { commentBy, mentioning, notifyingKeyPerTest, user } from '../../support/notifying-key.ts';
import { testServer } from '../../support/server.ts';

const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };

const server = testServer({}, { clock });
const key = notifyingKeyPerTest(server);
beforeEach(() => key.begin([commentBy('ada', mentioning('grace'))], { assignedTo: user('alan') }));

/** Each step in short: `+rule` passes, `-rule` stops, and `rule` decides nothing. */
async function explained(userId: string, about: object = key.target): Promise<string> {
  const input = { organizationId: key.place.organizationId, userId, ...about };
  const { notified, steps } = await key.post('/v2/notifications/explain', input);
  const signs: Record<string, string> = { passes: '+', stops: '-', info: '' };
  const short = steps.map(({ outcome, rule }: Loose) => `${signs[outcome]}${rule}`).join(' ');
  expect(notified).toBe(!short.includes('-'));
  return short;
}

const REQUESTED = '+service +trigger +requested';
const SEEN = '+document +context +visibility';

describe('an explanation of an event', () => {
  it('judges whether the user is the actor, and whether the user is in the audience', async () => {
    const end = `${SEEN} +subscription +preference timing`;
    for (const userId of ['grace', 'alan']) {
      expect(await explained(userId)).toBe(`event ${REQUESTED} +actor +audience ${end}`);
    }
    expect(await explained('ada')).toBe(`event ${REQUESTED} -actor ${SEEN} timing`);
    expect(await explained('linus')).toBe(`event ${REQUESTED} +actor -audience ${SEEN} timing`);
    await key.reply(commentBy('a$&b'));
    const { steps } = await key.post('/v2/notifications/explain', { ...key.target, userId: 'ada' });
    expect(steps[4].reason).toBe('The acting user is a$&b.');
  });

  it('judges the settings of the key and of the user', async () => {
    await key.settled();
    await key.prefer('grace', { inbox: 'NONE' });
    const triggers = { comment: { newlyAdded: false } };
    await key.configure({ useNotificationService: false, triggers });
    expect(await explained('grace')).toBe(
      `event -service -trigger +requested +actor +audience ${SEEN} +subscription -preference timing`,
    );
    await key.post('/v2/commentannotations/subscribe', { ...key.target, userId: 'linus' });
    await key.update({ priority: { id: 'high' } });
    await key.post('/v2/commentannotations/unsubscribe', { ...key.target, userId: 'linus' });
    expect(await explained('linus')).toBe(
      `event -service +trigger +requested +actor +audience ${SEEN} -subscription +preference timing`,
    );
  });

  it('judges what changes while an event waits', async () => {
    await key.configure({
      delay: { isEnabled: true, delaySeconds: 60 },
      batching: { isEnabled: true, windowSeconds: 100, maxNotifications: 3 },
    });
    const { events } = await key.post('/v2/events/get', { types: ['comment_annotation.add'] });
    const about = { ...key.target, eventId: events[0].id };
    clock.time += 1_000;
    await key.post('/v2/commentannotations/read', { ...key.target, userId: 'grace' });
    const begin = `event ${REQUESTED} +actor +audience`;
    const end = '+subscription +preference -read timing';
    expect(await explained('grace', about)).toBe(`${begin} ${SEEN} ${end}`);
    const { steps } = await key.post('/v2/notifications/explain', { ...about, userId: 'grace' });
    expect(steps.at(-1).reason).toBe(
      'The notification waits up to 100 s for further events, and then for a delay of 60 s.',
    );
    await key.update({ visibility: { type: 'restricted', userIds: [] } });
    const hidden = '+document +context -visibility';
    expect(await explained('grace', about)).toBe(`${begin} ${hidden} ${end}`);
    await key.post('/v2/commentannotations/comments/delete', { ...key.target, commentIds: [1] });
    expect(await explained('grace', about)).toBe(`${begin} -subject ${hidden} ${end}`);
    await key.post('/v2/commentannotations/delete', key.place);
    expect(await explained('grace', about)).toBe(
      `${begin} -subject -subject +subscription +preference +read timing`,
    );
  });

  it('judges the mentions and drafts of the comment as they are when the event has waited', async () => {
    await key.settled();
    await key.configure({ delay: { isEnabled: true, delaySeconds: 60 } });
    await key.prefer('grace', { inbox: 'MINE' });
    await key.begin([commentBy('ada', mentioning('grace'))], { annotationId: 'edited' });
    const edited = { ...key.place, annotationId: 'edited' };
    const edit = { ...edited, commentData: [{ commentId: 1, taggedUserContacts: [] }] };
    await key.post('/v2/commentannotations/comments/update', edit);
    expect(await explained('grace', edited)).toBe(
      `event ${REQUESTED} +actor +audience ${SEEN} +subscription -preference +read timing`,
    );
    await key.settled();
    clock.time += 60_000;
    await releaseBatches(server.app.services);
    const shown = await key.inbox('grace');
    expect(shown.map(({ notificationSourceData }) => notificationSourceData.annotationId)).toEqual([
      key.target.annotationId,
    ]);

    const draft = commentBy('ada', { ...mentioning('grace'), isDraft: true });
    await key.begin([draft], { annotationId: 'draft' });
    const drafted = { ...key.place, annotationId: 'draft' };
    const { events } = await key.post('/v2/events/get', { types: ['comment_annotation.add'] });
    const publishing = { ...drafted, commentData: [{ commentId: 1, isDraft: false }] };
    await key.post('/v2/commentannotations/comments/update', publishing);
    const ofDraft = { ...drafted, eventId: events.at(-1).id };
    expect(await explained('grace', ofDraft)).toContain('+requested +actor -audience');
  });

  it('is about the newest event that asked for notifications, or about the newest event, also of a kind that never notifies', async () => {
    const change = (annotationIds: string[], updatedData: object) =>
      key.post('/v2/commentannotations/update', { ...key.place, annotationIds, updatedData });
    await key.update({ priority: { id: 'high' } });
    await change([key.target.annotationId], { customList: [1] });
    const { steps } = await key.post('/v2/notifications/explain', { ...key.target, userId: 'ada' });
    expect(steps[0].reason).toContain('comment_annotation.priority_change, from 2027-01-05');
    expect(steps[4].reason).toBe('A server acted, without naming a user.');
    const silent = { ...key.target, annotationId: 'silent' };
    const comment = commentBy('ada', { ...mentioning('grace'), triggerNotification: false });
    await key.begin([comment], { annotationId: silent.annotationId });
    expect(await explained('grace', silent)).toBe(
      `event +service +trigger -requested +actor +audience ${SEEN} +subscription +preference timing`,
    );
    const onOrganization = { type: 'organization', id: key.place.organizationId };
    const asAda = await userHeaders(server, 'ada', [onOrganization], key.headers);
    await key.reply(commentBy('ada'));
    const deletion = { ...key.target, commentIds: [2] };
    await key.post('/v2/commentannotations/comments/delete', deletion, asAda);
    const { events } = await key.post('/v2/events/get', { types: ['comment.delete'] });
    const about = { ...key.target, eventId: events[0].id, userId: 'grace' };
    const ofDeletion = await key.post('/v2/notifications/explain', about);
    expect(ofDeletion.steps.find(({ rule }: Loose) => rule === 'requested')).toMatchObject({
      outcome: 'stops',
      reason: expect.stringContaining('never notifies anyone: a deletion'),
    });
  });

  it('is about no event of a deleted annotation whose id the annotation uses again', async () => {
    await key.post('/v2/commentannotations/delete', key.place);
    clock.time += 1_000;
    const silent = commentBy('ada', { triggerNotification: false });
    await key.begin([silent], { annotationId: key.target.annotationId });
    expect(await explained('grace')).toBe(
      `event +service +trigger -requested +actor -audience ${SEEN} timing`,
    );
  });
});

it('an explanation of a notification judges recipient, document and access context', async () => {
  const about = { notificationId: 'n' };
  await key.post('/v2/notifications/add', {
    ...{ ...key.place, ...about, context: { access: { team: ['red'] } } },
    ...{ actionUser: user('ada'), notifyUsers: [user('grace')] },
    ...{ displayHeadlineMessageTemplate: 'Look', displayBodyMessage: 'here' },
  });
  expect(await explained('grace', about)).toBe('+audience +document -context');
  expect(await explained('ada', about)).toBe('-audience +document -context');
  const documentIds = [key.place.documentId];
  const closed = { ...key.place, documentIds, accessType: 'restricted' };
  await key.post('/v2/organizations/documents/access/update', closed);
  expect(await explained('grace', about)).toBe('+audience -document');
  await key.settled();
  const [generated] = await key.all();
  expect(await explained('grace', { notificationId: generated.id })).toBe('+audience -document');
});

it('an explanation of what does not exist is refused', async () => {
  for (const [reason, about] of [
    ['annotation_not_found', { annotationId: 'unknown' }],
    ['event_not_found', { eventId: 'unknown' }],
    ['notification_not_found', { annotationId: undefined, notificationId: 'unknown' }],
  ] as const) {
    const input = { ...key.target, userId: 'grace', ...about };
    const answer = await server.call('/v2/notifications/explain', input, key.headers);
    expect(failureOf(answer)).toEqual({ http: 400, status: 'INVALID_ARGUMENT', reason });
  }
});
