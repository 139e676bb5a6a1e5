import { describe, expect, it } from 'vitest';
import { userHeaders } from '../../support/annotations.ts';
import { dataOf, failureOf, fresh, invalid } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { holdTransaction } from '../../support/hold-transaction.ts';
import { ownStatements } from '../../support/notifications.ts';
import { startTestServer } from '../../support/server.ts';

const server = await startTestServer({ ROLES: 'api' });
for (const userId of ['ada', 'grace']) await userHeaders(server, userId, []);

const get = (data: object, headers?: Record<string, string>) =>
  server.call('/v2/notifications/config/get', data, headers);
const set = (data: object, headers?: Record<string, string>) =>
  server.call('/v2/notifications/config/set', data, headers);

const newOrganization = () =>
  organize(server, fresh('org'), {
    documents: ['plan', { documentId: 'closed', accessType: 'restricted' }],
  });

const ALL = { inbox: 'ALL', email: 'ALL' };

describe('notifications/config', () => {
  it("is ALL by default, and a document's setting takes precedence", async () => {
    const organizationId = await newOrganization();
    const ada = { organizationId, userId: 'ada' };
    expect(dataOf(await get(ada))).toEqual([{ userId: 'ada', config: ALL }]);
    expect(dataOf(await set({ ...ada, config: { inbox: 'MINE' } }))).toEqual([
      { userId: 'ada', config: { inbox: 'MINE', email: 'ALL' } },
    ]);
    await set({ ...ada, documentIds: ['plan'], config: { email: 'NONE' } });
    expect(dataOf(await get({ ...ada, documentIds: ['closed', 'plan'] }))).toEqual([
      { userId: 'ada', documentId: 'closed', config: { inbox: 'MINE', email: 'ALL' } },
      { userId: 'ada', documentId: 'plan', config: { inbox: 'MINE', email: 'NONE' } },
    ]);
  });

  it('is set for several known users and documents at once, and for no others', async () => {
    const organizationId = await newOrganization();
    const both = { organizationId, userIds: ['grace', 'ada'], documentIds: ['plan', 'closed'] };
    const statements = await server.statementsOf(async () => {
      expect(dataOf(await set({ ...both, config: { inbox: 'NONE' } }))).toHaveLength(4);
    });
    const fewer = await server.statementsOf(() =>
      set({ organizationId, userId: 'ada', documentIds: ['plan'], config: { inbox: 'NONE' } }),
    );
    expect(ownStatements(statements)).toEqual(ownStatements(fewer));
    expect(dataOf(await get({ organizationId, userId: 'ada' }))[0].config).toEqual(ALL);
    const config = { inbox: 'NONE' };
    expect((await set({ organizationId, config })).body).toEqual(invalid('userId'));
    const unknown = await set({ organizationId, userIds: [fresh('user')], config });
    expect(failureOf(unknown).reason).toBe('user_not_found');
  });

  it('lets a user token change the preferences of its user, on visible documents', async () => {
    const organizationId = await newOrganization();
    const headers = await userHeaders(server, 'ada', []);
    const config = { inbox: 'NONE' };
    expect(dataOf(await set({ organizationId, documentIds: ['plan'], config }, headers))).toEqual([
      { userId: 'ada', documentId: 'plan', config: { inbox: 'NONE', email: 'ALL' } },
    ]);
    for (const data of [
      { userId: 'grace' },
      { userIds: ['ada', 'grace'] },
      { documentIds: ['closed'] },
    ]) {
      const answer = await set({ organizationId, ...data, config }, headers);
      expect(failureOf(answer).status).toBe('PERMISSION_DENIED');
    }
  });

  it('refuses a user token the preferences of a document that is being deleted', async () => {
    const organizationId = await newOrganization();
    const headers = await userHeaders(server, 'ada', []);
    const deletion = await holdTransaction(
      server.databaseUrl,
      'DELETE FROM documents WHERE organization_id = $1',
      [organizationId],
    );
    const place = { organizationId, documentIds: ['plan'] };
    const answer = set({ ...place, config: { inbox: 'NONE' } }, headers);
    await deletion.holdsUp(1);
    await deletion.release();
    expect(failureOf(await answer).reason).toBe('document_not_found');
  });
});
