import { expect, it } from 'vitest';
import { organize } from '../../support/directory.ts';
import { execute } from '../../support/global-setup.ts';
import { holdTransaction } from '../../support/hold-transaction.ts';
import { emptyDatabase, startTestServer } from '../../support/server.ts';

it('a format of times and a time limit of locks may be defaults of the database', async () => {
  const DATABASE_URL = await emptyDatabase();
  const name = new URL(DATABASE_URL).pathname.slice(1);
  await execute(DATABASE_URL, `ALTER DATABASE ${name} SET datestyle = 'SQL, DMY'`);
  await execute(DATABASE_URL, `ALTER DATABASE ${name} SET lock_timeout = '50ms'`);
  const server = await startTestServer({ DATABASE_URL });

  const users = { organizationId: 'acme', users: [{ userId: 'ada' }] };
  await server.ok('/v1/users/add', users);
  const place = { organizationId: 'acme', documentId: 'plan' };
  await organize(server, 'acme', { documents: ['plan'] });
  const content = { ...place, editorId: 'body', type: 'text', data: 'May' };
  await server.ok('/v2/crdt/add', content);
  const [editor] = await server.ok('/v2/crdt/get', place);
  expect(editor.lastUpdate).toBeGreaterThan(Date.now() - 60_000);

  const holder = await holdTransaction(DATABASE_URL, 'SELECT FROM users FOR UPDATE');
  const { status, body } = await server.call('/v2/users/update', users);
  await holder.release();
  expect([status, body.error.message]).toEqual([504, 'The database took too long.']);
});
