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

  for (const [target, refusing, accepting] of [
    [`ROLE ${role}`, 'NOLOGIN', 'LOGIN'],
    [`DATABASE ${name}`, 'ALLOW_CONNECTIONS false', 'ALLOW_CONNECTIONS true'],
  ] as const) {
    await execute(adminUrl, `ALTER ${target} ${refusing}`);
    await execute(
      adminUrl,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
    const { status, body } = await addUser();
    expect([status, body.error.status]).toEqual([503, 'UNAVAILABLE']);
    await execute(adminUrl, `ALTER ${target} ${accepting}`);
    await eventually(async () => expect((await addUser()).status).toBe(200));
  }
});
