import { beforeEach, describe, expect, it } from 'vitest';
import { userHeaders } from '../../support/annotations.ts';
import { dataOf, fresh } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { eventually } from '../../support/eventually.ts';
import { notificationsOf } from '../../support/notifications.ts';
import { commentBy, mentioning, notifyingKey } from '../../support/notifying-key.ts';
import { createTenant, startTestServer } from '../../support/server.ts';
import { subscribe } from '../../support/subscriptions.ts';

let organizationId: string;
const server = await startTestServer();
const notifications = notificationsOf(server);
const tokenOf = (userId: string) => userHeaders(server, userId, []);
beforeEach(async () => {
  const documents = ['open', { documentId: 'closed', accessType: 'restricted' }];
  organizationId = await organize(server, fresh('org'), { documents });
});

const follow = (input: object, headers: Record<string, string>) =>
  subscribe(server.url, headers, 'notifications', { organizationId, ...input });

/** Notifies these users, and returns the id of the notification. */
async function notify(documentId: string, userIds: string[], more: object = {}): Promise<string> {
  const notificationId = fresh('notification');
  const notifyUsers = userIds.map((userId) => ({ userId, name: `The user ${userId}` }));
  const data = { organizationId, documentId, notificationId, notifyUsers, ...more };
  dataOf(await notifications.add(data));
  return notificationId;
}

describe('notifications.changes', () => {
  it("streams new notifications of the user's inbox, as the inbox presents them", async () => {
    const [ada, grace] = [fresh('ada'), fresh('grace')];
    const [ofAda, ofGrace] = [
      await follow({}, await tokenOf(ada)),
      await follow({}, await tokenOf(grace)),
    ];
    const both = await notify('open', [ada, grace]);
    const own = await notify('open', [grace]);
    await eventually(() => expect(ofGrace.items).toHaveLength(2));
    expect(ofGrace.items.map(({ data }) => data.data.id)).toEqual([both, own]);
    await eventually(() => expect(ofAda.items.map(({ data }) => data.data.id)).toEqual([both]));
    const [item] = ofGrace.items;
    const query = { organizationId, userId: grace, order: 'asc' };
    const [shown] = dataOf(await notifications.get(query, await tokenOf(grace)));
    expect(item?.data).toMatchObject({
      id: item?.id,
      type: 'notification.add',
      metadata: { organizationId, documentId: 'open' },
      data: { ...shown, isRead: false },
    });
    expect(item?.data.data.displayHeadlineMessage).toContain(grace);
  });

  it('streams a notification of an annotation with the annotation, as the inbox presents it', async () => {
    const key = await notifyingKey(server);
    await key.begin([commentBy('ada')]);
    const input = { organizationId: key.place.organizationId, userId: 'grace' };
    const seen = await subscribe(server.url, key.headers, 'notifications', input);
    await key.reply(commentBy('ada', mentioning('grace')));
    await eventually(() => expect(seen.items).toHaveLength(1));
    const [shown] = await key.inbox('grace');
    expect(shown.notificationSourceData).toMatchObject({ annotationId: key.target.annotationId });
    expect(seen.items[0]?.data.data).toEqual(shown);
  });

  it('leaves out notifications that the user may not see on arrival', async () => {
    const ada = fresh('ada');
    const seen = await follow({}, await tokenOf(ada));
    const context = { access: { team: ['red'] } };
    const ids = () => seen.items.map(({ data }) => data.data.id);
    await notify('closed', [ada]);
    await notify('open', [ada], { context });
    const first = await notify('open', [ada]);
    await eventually(() => expect(ids()).toEqual([first]));
    const resource = { type: 'document', id: 'closed', organizationId, context };
    await notifications.change('add', ada, resource);
    const visible = await notify('closed', [ada], { context });
    await eventually(() => expect(ids()).toEqual([first, visible]));
    await notifications.change('remove', ada, resource);
    await notify('closed', [ada]);
    const last = await notify('open', [ada]);
    await eventually(() => expect(ids()).toEqual([first, visible, last]));
  });

  it('streams the inbox that an API key names, and resumes after the last event', async () => {
    const ada = fresh('ada');
    const seen = await follow({ userId: ada }, server.keyHeaders);
    const id = await notify('open', [ada]);
    await eventually(() => expect(seen.items.map(({ data }) => data.data.id)).toEqual([id]));
    seen.close();
    const missed = [await notify('open', [ada]), await notify('open', [ada])];
    const lastEventId = seen.items[0]?.id;
    const again = await follow({ userId: ada, lastEventId }, server.keyHeaders);
    await eventually(() => expect(again.items.map(({ data }) => data.data.id)).toEqual(missed));
  });

  it.each([
    ['that names nobody', {}],
    ['that names an organization that is not there', { userId: 'ada', organizationId: 'none' }],
  ])('is refused to an API key %s', async (_what, input) => {
    const { failure } = await follow(input, server.keyHeaders);
    expect(failure?.data).toMatchObject({ status: 'INVALID_ARGUMENT' });
  });

  it('does not reveal to users whether an organization exists', async () => {
    const headers = await tokenOf(fresh('ada'));
    const strangers = await follow({}, headers);
    const nowhere = await follow({ organizationId: fresh('nowhere') }, headers);
    expect([strangers.failure, nowhere.failure]).toEqual([undefined, undefined]);
  });

  it('refuses users who name another user, and users of another key', async () => {
    const headers = await tokenOf(fresh('ada'));
    const named = await follow({ userId: 'grace' }, headers);
    expect(named.failure?.data).toMatchObject({ status: 'PERMISSION_DENIED' });
    const stranger = await follow({ userId: 'grace' }, await createTenant(server));
    expect(stranger.failure?.data?.details).toEqual({ reason: 'organization_not_found' });
  });
});
