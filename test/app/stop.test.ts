import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { stopParts } from '../../src/app/running-app.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { eventually } from '../support/eventually.ts';
import { createNetwork } from '../support/network.ts';
import { serverProcess } from '../support/processes.ts';
import { createDatabase, startTestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('a process that receives signals more than once, as under npm, stops in order', async () => {
  const process = await serverProcess({
    DATABASE_URL: await createDatabase(),
    SHUTDOWN_DELAY_SECONDS: '1',
    LOG_LEVEL: 'info',
  });
  await process.start();
  process.signal('SIGINT');
  await eventually(() => expect(process.logged.join('')).toContain('"msg":"stopping"'));
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.signal(name);
  expect(await process.stop()).toBe(0);
  await eventually(() => {
    const messages = process.logged.join('').match(/"msg":"stop[^"]*"/g);
    expect(messages).toEqual(['"msg":"stopping"', '"msg":"stopped"']);
  });
  expect(process.complaints).toEqual([]);
});

it('a process that cannot finish its work in time says so, and exits with 1', async () => {
  const network = await createNetwork(await createDatabase());
  const process = await serverProcess({ DATABASE_URL: network.url });
  await process.start();
  network.stall();
  expect(await process.stop()).toBe(1);
  await eventually(() =>
    expect(process.complaints.join('')).toBe(
      'The process exits before its work is finished, since stopping took longer than 10 seconds.\n',
    ),
  );
});

it('a start that fails after all parts run stops them', async () => {
  const DATA_DIR = await temporaryFolder('test-data-');
  // The credentials of the first start cannot replace a folder.
  await mkdir(path.join(DATA_DIR, 'quickstart.json'));
  const databases: Database[] = [];
  const starting = startTestServer({ DATA_DIR }, { onDatabase: (db) => databases.push(db) });
  await expect(starting).rejects.toThrow('quickstart.json cannot be written');
  expect(databases.map(({ pool }) => pool.ended)).toEqual([true, true]);
});

it('the failures of all parts that do not stop are shown', async () => {
  const shown = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => shown.mockRestore());
  const disposables = new AsyncDisposableStack();
  for (const part of ['database', 'feed', 'server']) {
    disposables.defer(() => Promise.reject(new Error(`The ${part} hangs.`)));
  }
  await stopParts(disposables);
  const failures = shown.mock.calls.map(([, failure]) => /The \w+ hangs/.exec(failure)?.[0]);
  expect(failures).toEqual(['The server hangs', 'The feed hangs', 'The database hangs']);
});
