import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { classifyDatabaseError } from '../../../src/platform/database/database-errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const failureOf = (work: Promise<unknown>) => work.then(undefined, (error: unknown) => error);

it('a socket that does not exist is an outage of the database, and a missing file is not', async () => {
  const folder = await temporaryFolder('no-socket-');
  const noServer = await failureOf(new Client({ host: folder }).connect());
  const noFile = await failureOf(readFile(`${folder}/missing`));
  expect([noServer, noFile]).toEqual([
    expect.objectContaining({ code: 'ENOENT' }),
    expect.objectContaining({ code: 'ENOENT' }),
  ]);
  expect(classifyDatabaseError(noServer)?.status).toBe('UNAVAILABLE');
  expect(classifyDatabaseError(noFile)).toBeUndefined();
});
