import { beforeEach, describe, expect, it } from 'vitest';
import { loadRecipients } from '../../../src/features/notifications/generate/recipients.ts';
import { unixSeconds } from '../../../src/platform/clock.ts';
import type { LoggedEvent } from '../../../src/platform/events/logged-events.ts';
import { storedEvents } from '../../support/events.ts';
import {
  commentBy,
  mentioning,
  type NotifyingKey,
  notifyingKey,
  user,
} from '../../support/notifying-key.ts';
import { testServer } from '../../support/server.ts';

const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };

let key: NotifyingKey;
const server = testServer({ ROLES: 'api' }, { clock });
beforeEach(async () => {
  key = await notifyingKey(server);
});

/** Events of the key, oldest first. */
const events = (type: string) => storedEvents(server, { headers: key.headers, types: [type] });

async function recipientsOf(events: LoggedEvent[]) {
  const query = { tenantId: key.tenantId, events, now: unixSeconds(clock) };
  const found = await loadRecipients(server.app.services.db, query);
  return found.flatMap(({ recipients }) => recipients);
}

/** The recipients of the last event of a type with their reasons. */
const recipientsOfLast = async (type: string) =>
  (await recipientsOf((await events(type)).slice(-1)))
    .map(({ user: { userId }, reason }) => `${userId}: ${reason}`)
    .toSorted();

describe('the recipients of an event', () => {
  it('are the mentioned, the assigned and the subscribed users, without the acting user', async () => {
    await key.begin([commentBy('ada', mentioning('grace', 'ada'))], { assignedTo: user('alan') });
    const begun = ['alan: assigned', 'grace: mentioned'];
    expect(await recipientsOfLast('comment_annotation.add')).toEqual(begun);
    await key.reply(commentBy('grace', mentioning('linus')));
    const replied = ['ada: subscribed', 'alan: assigned', 'linus: mentioned'];
    expect(await recipientsOfLast('comment.add')).toEqual(replied);
    // Each has the strongest reason, and those who unsubscribed since are left out.
    await key.reply(commentBy('linus', mentioning('alan')));
    const again = ['ada: subscribed', 'alan: mentioned', 'grace: subscribed'];
    expect(await recipientsOfLast('comment.add')).toEqual(again);
    await key.post('/v2/commentannotations/unsubscribe', { ...key.target, userId: 'grace' });
    expect(await recipientsOfLast('comment.add')).toEqual(again.slice(0, 2));
  });

  it('are members of tagged groups, each once', async () => {
    const { organizationId } = key.place;
    await key.begin([commentBy('ada')]);
    const userIds = ['m1', 'm2', 'ada'];
    await key.post('/v1/users/add', { organizationId, users: userIds.map(user) });
    const group = { organizationId, organizationUserGroupId: 'team', userIds };
    await key.post('/v1/organizations/usergroups/users/add', group);
    const groups = [{ organizationUserGroupId: 'team' }, 'team', { groupId: 'none' }, 5, null];
    await key.reply(commentBy('ada', { ...mentioning('m1'), toOrganizationUserGroup: groups }));
    expect(await recipientsOfLast('comment.add')).toEqual(['m1: mentioned', 'm2: mentioned']);
  });

  it('are none without triggerNotification, and for a draft', async () => {
    await key.begin([commentBy('ada', { ...mentioning('grace'), triggerNotification: false })]);
    expect(await recipientsOfLast('comment_annotation.add')).toEqual([]);
    await key.reply(commentBy('linus', { ...mentioning('grace'), isDraft: true }));
    expect(await recipientsOfLast('comment.add')).toEqual([]);
  });

  it('count as mentioned by an update only if they were not before', async () => {
    await key.begin([commentBy('ada', mentioning('grace'))]);
    const edit = { commentId: 1, triggerNotification: true, ...mentioning('grace', 'linus') };
    const edited = { ...key.target, commentData: [edit] };
    await key.post('/v2/commentannotations/comments/update', edited);
    const expected = ['grace: subscribed', 'linus: mentioned'];
    expect(await recipientsOfLast('comment.update')).toEqual(expected);
  });

  it('have their current name and address', async () => {
    const old = { userId: 'grace', email: 'old@a.com' };
    await key.begin([commentBy('ada', { taggedUserContacts: [old] })]);
    const grace = { userId: 'grace', email: 'new@a.com', name: 'Grace' };
    const { organizationId } = key.place;
    await key.post('/v1/users/add', { organizationId, users: [grace] });
    const found = await recipientsOf(await events('comment_annotation.add'));
    expect(found).toMatchObject([{ user: grace, reason: 'mentioned', address: 'new@a.com' }]);
  });
});
