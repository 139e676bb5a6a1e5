import { describe, expect, it } from 'vitest';
import { fresh } from '../../support/answers.ts';
import { makePlan, userToken } from '../../support/editors.ts';
import { eventually } from '../../support/eventually.ts';
import { createTenant, startTestServer } from '../../support/server.ts';
import { subscribe } from '../../support/subscriptions.ts';

const server = await startTestServer({ ROLES: 'api' });

const place = () => ({ organizationId: fresh('org'), documentId: 'plan' });
const follow = (input: object, headers = server.keyHeaders) =>
  subscribe(server.url, headers, 'presence', input);

const update = (where: object, ...users: object[]) =>
  server.ok('/v2/presence/update', { ...where, users });

describe('presence.changes', () => {
  it('begins with the current state, then publishes users who come, change and leave', async () => {
    const here = place();
    await update(here, { userId: 'ada', name: 'Ada' });
    const seen = await follow(here);
    await eventually(() => expect(seen.items).toHaveLength(1));
    await update(here, { userId: 'grace' });
    await update(here, { userId: 'grace' });
    await update(here, { userId: 'ada', status: 'away' });
    await update(place(), { userId: 'elsewhere' });
    await server.ok('/v2/presence/delete', { ...here, userIds: ['grace'] });
    await eventually(() => expect(seen.items).toHaveLength(4));
    expect(seen.types()).toEqual(['presence.state', ...Array(3).fill('presence.update')]);
    const ada = { userId: 'ada', name: 'Ada' };
    expect(seen.items.map(({ data }) => data.data)).toEqual([
      [{ ...ada, status: 'online' }],
      { userId: 'grace', status: 'online' },
      { ...ada, status: 'away', previous: { ...ada, status: 'online' } },
      { userId: 'grace', status: 'offline', previous: { userId: 'grace', status: 'online' } },
    ]);
  });

  it('begins with the state at each connection', async () => {
    const here = place();
    await update(here, { userId: 'ada' });
    const first = await follow(here);
    await eventually(() => expect(first.items).toHaveLength(1));
    const again = await follow({ ...here, lastEventId: first.items[0]?.id });
    await eventually(() => expect(again.types()).toEqual(['presence.state']));
  });

  it('does not show users the stored name of somebody without access to the document', async () => {
    const headers = await createTenant(server);
    await makePlan(server, headers);
    const users = [{ userId: 'stranger', name: 'Sam' }];
    const call = (path: string, data: object) => server.ok(path, data, headers);
    await call('/v1/users/add', { organizationId: 'elsewhere', users });
    const here = { organizationId: 'acme', documentId: 'plan' };
    await call('/v2/presence/update', { ...here, users: [{ userId: 'stranger' }] });
    const token = await userToken(server, 'ada', { accessRole: 'viewer' }, headers);
    const seenByUser = await follow(here, { authorization: `Bearer ${token}` });
    const seenByKey = await follow(here, headers);
    await eventually(() => expect(seenByUser.items).toHaveLength(1));
    await eventually(() => expect(seenByKey.items).toHaveLength(1));
    const away = [{ userId: 'stranger', status: 'away' }];
    await call('/v2/presence/update', { ...here, users: away });
    await eventually(() => expect(seenByUser.items).toHaveLength(2));
    await eventually(() => expect(seenByKey.items).toHaveLength(2));
    expect(JSON.stringify(seenByUser.items)).not.toContain('Sam');
    expect(seenByKey.items[1]?.data.data).toMatchObject({ name: 'Sam', previous: { name: 'Sam' } });
  });
});
