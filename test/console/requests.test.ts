import { describe, expect, it } from 'vitest';
import { deleteOldAuditEntries } from '../../src/console/session/audit.ts';
import { RequestLog } from '../../src/platform/metrics/request-log.ts';
import { ProcessRecorder } from '../../src/platform/processes/process-recorder.ts';
import { type Loose, pagesOf } from '../support/answers.ts';
import { callConsole, consoleFailure, credentialsOf, signInTo } from '../support/console.ts';
import { startTestServer } from '../support/server.ts';
import { createWorkspaceKey } from '../support/workspaces.ts';

/** The log of requests, the acts of people, and the chains of all organizations. */
const server = await startTestServer();
const otherKey = await createWorkspaceKey(server);

type Role = keyof ReturnType<typeof credentialsOf>;

async function as(role: Role) {
  const { url, quickstart } = server;
  const { cookie } = await signInTo(url, credentialsOf(server)[role]);
  const session = { url, cookie, apiKey: quickstart.apiKey };
  return {
    session,
    ask: (name: string, input: object) => callConsole(session, name, 'query', input),
    act: (name: string, input: object) => callConsole(session, name, 'mutation', input),
  };
}

const record = () => {
  const { services } = server.app;
  return new ProcessRecorder({ ...services, roles: ['api'] }).record();
};

describe('the log of requests', () => {
  it('has each call with its status and statements, before and after it is written, and no content', async () => {
    const secret = 'a-name-that-is-nobodys-business';
    const organizations = [{ organizationId: 'logged', organizationName: secret }];
    await server.ok('/v2/organizations/add', { organizations });
    await server.call('/v2/organizations/get', { organizationIds: secret });
    const { ask } = await as('administrator');
    const list = async (input: object) => (await ask('console.requests.list', input)).data;
    for (const write of [async () => undefined, record]) {
      await write();
      const [added] = await list({ operation: 'organizations.add' });
      expect(added).toMatchObject({ status: 200, apiKey: server.quickstart.apiKey });
      expect(added.statements).toBeGreaterThan(0);
      const [refused] = await list({ operation: 'organizations.get', outcome: 'refused' });
      expect(refused.status).toBe(400);
      expect(JSON.stringify(await list({}))).not.toContain(secret);
    }
    const { server: all } = await ask('console.overview.read', {});
    expect(all.requests.slowest[0].durationMs).toBeGreaterThan(0);
  });

  it('is read page after page, and shows to others only what is theirs', async () => {
    await server.call('/v2/organizations/get', {}, otherKey);
    const pool = server.app.services.db.pool;
    await pool.query(`
      INSERT INTO logged_requests SELECT 'many-' || n, now() - n * interval '1 second', 'r', 'many',
        'another-key', 200, n, 1 FROM generate_series(1, 250) AS n`);
    const { ask } = await as('administrator');
    const seen: string[] = [];
    const read = (pageToken?: string) =>
      ask('console.requests.list', { operation: 'many', ...(pageToken && { pageToken }) });
    for await (const { data } of pagesOf(read)) seen.push(...data.map(({ id }: Loose) => id));
    expect(seen.length).toBe(250);
    expect(new Set(seen).size).toBe(250);
    for (const role of ['owner', 'operator'] as const) {
      const { data } = await (await as(role)).ask('console.requests.list', {});
      const keys = new Set(data.map(({ apiKey }: Loose) => apiKey));
      expect([...keys]).toEqual([server.quickstart.apiKey]);
    }
  });

  it('keeps failures, the slowest and some others of any number of calls', () => {
    const log = new RequestLog();
    const call = { at: 0, requestId: 'r', operation: 'o', apiKey: null, statements: 0 };
    for (let n = 0; n < 10_000; n++) {
      log.add({ ...call, durationMs: n % 5_000, status: n % 1_000 === 0 ? 500 : 200 });
    }
    const kept = log.take();
    expect(kept.length).toBe(10 + 50 + 50);
    expect(kept.filter(({ status }) => status === 500).length).toBe(10);
    expect(kept.filter(({ durationMs }) => durationMs >= 4_975).length).toBe(50);
    expect(log.take()).toEqual([]);
  });
});

describe('the acts of people', () => {
  it('are noted with who, what and how it ended, without contents, also where they are refused', async () => {
    const { session, ask, act } = await as('operator');
    const organizations = [{ organizationId: 'noted', organizationName: 'Nobody else knows' }];
    await act('organizations.add', { organizations });
    await ask('authTokens.get', { apiKey: server.quickstart.apiKey }).catch(() => undefined);
    const refused = await consoleFailure(session, 'apiKeys.create', 'mutation', {});
    expect(refused?.http).toBe(403);
    const { data } = await ask('console.audit.list', {});
    expect(data[0]).toMatchObject({ operation: 'apiKeys.create', status: 403, role: 'operator' });
    const added = data.find(({ operation }: Loose) => operation === 'organizations.add');
    expect(added).toMatchObject({ status: 200, subject: { organizationId: ['noted'] } });
    expect(JSON.stringify(data)).not.toContain('Nobody else knows');
    const operations: string[] = data.map(({ operation }: Loose) => operation);
    expect(operations).toContain('sign in');
    expect(operations.filter((operation) => operation.startsWith('console.'))).toEqual([]);

    const resources = [{ type: 'organization', id: 'noted', accessRole: 'viewer' }];
    await act('permissions.add', { user: { userId: 'ada' }, permissions: { resources } });
    const found = await ask('console.audit.list', { q: 'permissions.add' });
    expect(found.data[0].subject).toEqual({ userId: ['ada'], id: ['noted'] });
  });

  it('are shown only to people of the key or workspace that they are about, and deleted after half a year', async () => {
    const pool = server.app.services.db.pool;
    await pool.query(`
      INSERT INTO console_acts (id, at, person, role, operation, workspace_id, api_key, subject, request_id)
      VALUES ('old', now() - interval '200 days', 'Old', 'owner', 'x', 'elsewhere', 'elsewhere', '{}', 'r')`);
    const people = async (role: Role) => {
      const { data } = await (await as(role)).ask('console.audit.list', {});
      return data.map(({ person }: Loose) => person);
    };
    expect(await people('administrator')).toContain('Old');
    expect(await people('owner')).not.toContain('Old');
    // The owner of a workspace sees what people do with its API keys.
    const { act } = await as('operator');
    await act('organizations.add', { organizations: [{ organizationId: 'by-its-key' }] });
    const { data } = await (await as('owner')).ask('console.audit.list', {});
    expect(data).toContainEqual(
      expect.objectContaining({ role: 'operator', subject: { organizationId: ['by-its-key'] } }),
    );
    await deleteOldAuditEntries(server.app.services);
    expect(await people('administrator')).not.toContain('Old');
  });
});
