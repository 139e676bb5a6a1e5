import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { editorsOf } from '../support/editors.ts';
import { eventually, SOON_MS } from '../support/eventually.ts';
import { serverProcess } from '../support/processes.ts';
import { startRedis } from '../support/redis-server.ts';
import { createDatabase } from '../support/server.ts';

it('a process whose user of Redis may not subscribe says in the log that its documents are not exchanged', async () => {
  const { url } = await startRedis();
  const admin = new Redis(url);
  await admin.call('ACL', 'SETUSER', 'limited', 'on', '>secret', '~*', 'resetchannels', '+@all');
  const REDIS_URL = url.replace('redis://', 'redis://limited:secret@');
  const environment = { DATABASE_URL: await createDatabase(), REDIS_URL, LOG_LEVEL: 'warn' };
  const server = await serverProcess(environment);
  await server.start();
  const { open } = await editorsOf({ url: server.url, keyHeaders: await server.keyHeaders() });
  const editor = await open('alone');
  editor.text.insert(0, 'stored nevertheless');
  await editor.sent();
  await eventually(() => expect(server.logged.join('')).toContain('NOPERM'), SOON_MS);
  admin.disconnect();
});
