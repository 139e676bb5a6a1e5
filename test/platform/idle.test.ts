import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startTestServer } from '../support/server.ts';
import { watchStatements } from '../support/statements.ts';

const SECONDS = 5;

it('an idle process sends at most two statements a second to the database', async () => {
  let statements: string[] = [];
  await startTestServer(
    {},
    { onDatabase: ({ pool }) => watchStatements(pool, (text) => void statements.push(text)) },
  );
  // Some statements of the start may come a little later.
  await eventually(async () => {
    statements = [];
    await sleep(SECONDS * 1_000);
    expect(statements.length, statements.join('\n')).toBeLessThanOrEqual(2 * SECONDS);
  });
});
