import { expect, it } from 'vitest';
import type { Database } from '../../../src/platform/database/database.ts';
import type { Operation } from '../../../src/server/rest.ts';
import { fresh } from '../../support/answers.ts';
import { inOrder, PREPARATIONS, withReal } from '../../support/example-world.ts';
import { headersFor, operationOf, operations } from '../../support/operations.ts';
import { createDatabase, startTestServer } from '../../support/server.ts';
import { aroundStatements } from '../../support/statements.ts';

/** The statement that stores the answer of a write with an Idempotency-Key. */
const KEEPS_ANSWER = /UPDATE idempotency_keys SET sealed_answer/;
/** The statement that frees the key after a failure that may not occur again, whose answer is not stored. */
const RELEASES = /DELETE FROM idempotency_keys WHERE/;

/** Locks and stored answers are not counted as changes. */
const changes = (text: string): boolean =>
  /\b(INSERT INTO|UPDATE|DELETE FROM)\s+(?!idempotency_keys)/.test(
    text.replaceAll(/\b(FOR|FOR NO KEY|DO) UPDATE\b/g, ''),
  );

const faults = { commits: 0, outside: [] as string[], areOn: false, areBeforeCommit: false };

/** Closes a connection right after it has committed a stored answer, or before it commits a release. */
function breakAtCommit({ pool }: Database): void {
  aroundStatements(pool, (client) => {
    const state = { isOpen: false, ends: false };
    const broken = async (text: string, answer: () => unknown) => {
      const isCommit = text === 'COMMIT';
      if (text === 'BEGIN') state.isOpen = true;
      const isEnd = faults.areBeforeCommit ? RELEASES : KEEPS_ANSWER;
      if (isEnd.test(text)) state.ends = true;
      noteOutside(text, state.isOpen);
      const isLast = faults.areOn && state.ends && (isCommit || !state.isOpen);
      if (isCommit || text === 'ROLLBACK') state.isOpen = false;
      const result = isLast && faults.areBeforeCommit ? undefined : await answer();
      if (!isLast) return result;
      faults.commits++;
      if (faults.areBeforeCommit) faults.areOn = false;
      client.end().catch(() => undefined);
      throw new Error('Connection terminated unexpectedly');
    };
    return (text, query, args) => {
      const callback = args.at(-1);
      if (typeof callback !== 'function') return broken(text, () => query(...args));
      broken(text, () => query(...args.slice(0, -1))).then(
        (result) => callback(undefined, result),
        (error: unknown) => callback(error),
      );
    };
  });
}

function noteOutside(text: string, isOpen: boolean): void {
  const isBackground = /background \*\/|pgboss|presence_processes/.test(text);
  if (faults.areOn && !isOpen && !isBackground && changes(text)) faults.outside.push(text);
}

const environment = {
  ROLES: 'api',
  DATABASE_URL: await createDatabase(),
  // No server listens on this port.
  OPENAI_BASE_URL: 'http://127.0.0.1:9',
};
const failing = await startTestServer(environment, { onDatabase: breakAtCommit });
const other = await startTestServer(environment);

/** This operation revokes its own credentials, so it cannot be repeated. */
const ENDS_ITS_CREDENTIALS = 'workspaces.resetToken';

const writes = inOrder(
  operations
    .filter(({ procedure, meta }) => procedure._def.type === 'mutation' && meta.level !== 'admin')
    .map(({ name }) => name)
    .filter((name) => name !== ENDS_ITS_CREDENTIALS),
);

/** Operations whose examples fail here. Their refusal is stored like any answer. */
const REFUSED = ['auth.generateStreamTicket', 'webhookDeliveries.resend'];

/** The example of an operation, with the ids of what was made for it. */
async function inputOf({ name, meta }: Operation): Promise<object> {
  const prepare = REFUSED.includes(name) ? undefined : PREPARATIONS[name];
  const text = withReal(JSON.stringify(meta.example.request), await prepare?.(failing));
  const input = JSON.parse(text);
  // The time of the example is too long ago.
  return 'since' in input ? { ...input, since: Date.now() - 60_000 } : input;
}

/** The problem of a write that was repeated after its connection was lost. */
async function problemsOf(operation: Operation, data: object): Promise<string[]> {
  const headers = { ...headersFor(failing, operation), 'idempotency-key': 'once' };
  const { path } = operation.meta;
  const { commits } = faults;
  faults.outside = [];
  faults.areOn = true;
  const first = await failing.call(path, data, headers);
  faults.areOn = false;
  let second = first;
  const statements = await other.statementsOf(async () => {
    second = await other.call(path, data, headers);
  });
  const [before, after] = [JSON.stringify(first.body), JSON.stringify(second.body)];
  const isRefused = first.status !== 200 && !REFUSED.includes(operation.name);
  return [
    faults.commits > commits ? [] : 'No connection was lost.',
    isRefused ? `It was refused: ${before}` : [],
    before === after ? [] : `${before} became ${after}`,
    faults.outside.map((text) => `Changed by itself: ${text}`),
    statements.filter(changes).map((text) => `Changed again: ${text}`),
  ].flat();
}

it('a write with an Idempotency-Key whose connection breaks right after its commit has stored its answer, and a repeat at another process returns it without another change', async () => {
  const problems: Record<string, string[]> = {};
  for (const name of writes) {
    const operation = operationOf(name);
    const found = await problemsOf(operation, await inputOf(operation));
    if (found.length > 0) problems[name] = found;
  }
  expect(problems).toEqual({});
  expect(writes.length).toBeGreaterThan(60);
}, 90_000);

it('a write that failed after a change is not answered with that failure unless the change is committed', async () => {
  const path = '/v2/workspace/domains/add';
  const known = fresh('domain');
  await failing.ok(path, { domains: [`${known}.example`] });
  const data = { domains: [`${known}.example`, `new-${known}.example`] };
  const headers = { ...failing.keyHeaders, 'idempotency-key': known };
  Object.assign(faults, { areOn: true, areBeforeCommit: true });
  const lost = await failing.call(path, data, headers);
  faults.areBeforeCommit = false;
  expect(lost.status).toBe(503);
  const repeated = await failing.call(path, data, headers);
  expect(repeated.body.error.details.domainsAdded).toEqual([`new-${known}.example`]);
});
