import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { eventually } from '../support/eventually.ts';
import { credentialHeaders, post, type Quickstart, quietly } from '../support/server.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const dataDir = await makeTemporaryFolder('test-outage-');
const settings = { NODE_ENV: 'test', PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: dataDir };
const app = await createApp(readConfig(settings));
await quietly(() => app.start());
const quickstart = await readFile(path.join(dataDir, 'quickstart.json'), 'utf8');
const headers = credentialHeaders(JSON.parse(quickstart) as Quickstart).keyHeaders;

afterAll(async () => {
  await app.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const addUser = (userId: string) =>
  post(
    `${app.url}/v1/users/add`,
    { data: { organizationId: 'acme', users: [{ userId }] } },
    headers,
  );

const readyz = async () => (await fetch(`${app.url}/readyz`)).status;

async function killDatabase(): Promise<void> {
  const file = await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8');
  process.kill(Number(file.split('\n')[0]), 'SIGKILL');
}

it('a database outage ends without a restart, and without losing acknowledged writes', async () => {
  expect((await addUser('before')).status).toBe(200);
  expect(await readyz()).toBe(200);

  await killDatabase();
  const during = await addUser('during');
  // The database restarts at once and may be back already. Otherwise the answer says to retry.
  if (during.status !== 200) {
    expect(during.status).toBe(503);
    expect(during.body.error).toMatchObject({ status: 'UNAVAILABLE', code: 503 });
  }

  await eventually(async () => expect(await readyz()).toBe(200));
  expect((await addUser('after')).status).toBe(200);
  const permissions = await post(
    `${app.url}/v2/auth/permissions/get`,
    { data: { organizationId: 'acme', userIds: ['before', 'after'] } },
    headers,
  );
  for (const userId of ['before', 'after']) {
    const { organization } = permissions.body.result.data[userId];
    expect(organization.acme.accessRole).toBe('editor');
  }
});
