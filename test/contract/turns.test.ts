import { beforeAll, describe, expect, it } from 'vitest';
import type { AuthLevel } from '../../src/api/credentials/authenticate.ts';
import type { Operation } from '../../src/api/rest.ts';
import { eventually } from '../support/eventually.ts';
import { execute } from '../support/global-setup.ts';
import { FILLS, heavyInput, NONE } from '../support/heavy-inputs.ts';
import { operations } from '../support/operations.ts';
import { type ServerProcess, serverProcess } from '../support/processes.ts';
import { createDatabase, post } from '../support/server.ts';

/** `TURNS=all` calls every operation, with inputs that are large in every way: for half an hour. */
const isWide = process.env.TURNS === 'all';
const fills = isWide ? Object.keys(FILLS) : ['many items'];
/** A call of each kind: large inputs, large answers, and many large rows changed and deleted. */
const FEW = ['users.add', 'users.update', 'users.delete', 'users.get', 'commentAnnotations.add'];

/** What one turn may take of the processor. */
const LONGEST_TURN_MS = 100;
const QUIET_MS = 20;
const ATTEMPTS = 3;
const DEADLINE_MS = isWide ? 3_600_000 : 180_000;

let server: ServerProcess;
let headers: Record<AuthLevel, Record<string, string>>;
let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await createDatabase();
  const nowhere = 'http://127.0.0.1:9';
  const environment = {
    DATABASE_URL: databaseUrl,
    ...{ OPENAI_BASE_URL: nowhere, SENDGRID_BASE_URL: nowhere, CALLS_IN_FLIGHT_PER_KEY: '0' },
  };
  server = await serverProcess(environment, { watchTurns: true });
  await server.start();
  headers = await server.headersByLevel();
});

/** Those that would take away what the others need are left out. */
const swept = operations
  .filter(({ name }) => !['workspaces.resetToken', 'userData.delete'].includes(name))
  .filter(({ name }) => isWide || FEW.includes(name))
  .toSorted((a, b) => rank(a) - rank(b));

/** What is read and changed has to be there, and what is deleted goes last. */
function rank({ name }: Operation): number {
  if (/(^|\.)(add|create|set|addUsers)$/.test(name)) return 0;
  return /delete|remove|reset/i.test(name) ? 2 : 1;
}

const send = ({ meta }: Operation, data: object) =>
  post(server.url + meta.path, { data }, headers[meta.level]);

/** As much of each as may be stored. */
async function fillMetadata(): Promise<void> {
  const tables = ['users', 'documents', 'folders', 'organizations', 'user_groups'];
  const full = `(SELECT jsonb_object_agg('k' || n, 1) FROM generate_series(1, 1500) AS n)`;
  for (const table of tables) await execute(databaseUrl, `UPDATE ${table} SET metadata = ${full}`);
}

/** Until what follows upon a call is done too. */
async function longestUntilQuiet(): Promise<number> {
  let longest = 0;
  let quiet = 0;
  await eventually(async () => {
    const turn = await server.longestTurn();
    longest = Math.max(longest, turn);
    quiet = turn < QUIET_MS ? quiet + 1 : 0;
    if (quiet < 3) throw new Error('It is not quiet.');
  }, DEADLINE_MS);
  return longest;
}

async function longestTurnOf(operation: Operation, fill: string): Promise<number> {
  let longest = Number.POSITIVE_INFINITY;
  const input = heavyInput(operation, FILLS[fill] ?? NONE);
  // What is slow is so each time; what else runs on the machine is not.
  for (let attempt = 0; attempt < ATTEMPTS && longest >= LONGEST_TURN_MS; attempt++) {
    await server.longestTurn();
    const { status } = await send(operation, input);
    expect([200, 400, 403, 404, 409, 500, 502, 503], operation.name).toContain(status);
    longest = Math.min(longest, await longestUntilQuiet());
  }
  return longest;
}

describe('the largest inputs that operations take', () => {
  it(
    'hold up nobody',
    async () => {
      for (const operation of swept) {
        if (rank(operation) < 2) await send(operation, operation.meta.example.request);
      }
      await longestUntilQuiet();
      const slow: string[] = [];
      let isFull = false;
      for (const operation of swept) {
        if (rank(operation) > 0 && !isFull) await fillMetadata();
        isFull ||= rank(operation) > 0;
        for (const fill of fills) {
          const turn = await longestTurnOf(operation, fill);
          const found = `${operation.name}, ${fill}: ${Math.round(turn)} ms`;
          if (turn >= LONGEST_TURN_MS) slow.push(found);
          if (isWide) console.info(found);
        }
      }
      expect(slow).toEqual([]);
    },
    DEADLINE_MS,
  );
});
