import { randomBytes } from 'node:crypto';
import { expect, inject, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { execute } from '../../support/global-setup.ts';
import { emptyDatabase, startTestServer } from '../../support/server.ts';
import { whenFileEnds } from '../../support/when-file-ends.ts';

it('a login that the database refuses is an outage, which ends when the database accepts it', async () => {
  const adminUrl = inject('adminUrl');
  const url = new URL(await emptyDatabase());
  const name = url.pathname.slice(1);
  const role = `role_${randomBytes(6).toString('hex')}`;
  await execute(adminUrl, `CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
  whenFileEnds(async () => {
    await execute(adminUrl, `DROP DATABASE ${name} WITH (FORCE)`);
    await execute(adminUrl, `DROP ROLE ${role}`);
  });
  await execute(adminUrl, `ALTER DATABASE ${name} OWNER TO ${role}`);
  Object.assign(url, { username: role, password: 'secret' });
  const server = await startTestServer({ DATABASE_URL: url.href });
  const addUser = () =>
    server.call('/v1/users/add', { organizationId: 'acme', users: [{ userId: 'ada' }] });
  expect((await addUser()).status).toBe(200);

  for (const [refuse, accept] of [
    [`ALTER ROLE ${role} NOLOGIN`, `ALTER ROLE ${role} LOGIN`],
    [
      `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
      `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`,
    ],
  ] as const) {
    await execute(adminUrl, refuse);
    await execute(
      adminUrl,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
    const { status, body } = await addUser();
    expect([status, body.error.status]).toEqual([503, 'UNAVAILABLE']);
    await execute(adminUrl, accept);
    await eventually(async () => expect((await addUser()).status).toBe(200));
  }
});
