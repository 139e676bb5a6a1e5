import { beforeAll, describe, expect, it } from 'vitest';
import type { AuthLevel } from '../../src/api/credentials/auth-level.ts';
import type { Operation } from '../../src/server/rest.ts';
import { archivesOf } from '../support/archives.ts';
import { eventually } from '../support/eventually.ts';
import { execute } from '../support/global-setup.ts';
import { FILLS, heavyInput, NONE } from '../support/heavy-inputs.ts';
import { operations } from '../support/operations.ts';
import { LONGEST_BLOCK_MS, type ServerProcess, serverProcess } from '../support/processes.ts';
import { createDatabase, createTenant, post } from '../support/server.ts';

/**
 * `EVENT_LOOP=all` calls every operation with every kind of large input, which takes half an hour.
 */
const isWide = process.env.EVENT_LOOP === 'all';
const fills = isWide ? Object.keys(FILLS) : ['many items'];
/**
 * One operation of each kind: large inputs, large answers, and updates and deletions of many large
 * rows.
 */
const FEW = ['users.add', 'users.update', 'users.delete', 'users.get', 'commentAnnotations.add'];

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
  server = await serverProcess(environment, { preload: 'watch-event-loop' });
  await server.start();
  headers = await server.headersByLevel();
});

/** Operations that delete what others need are left out. */
const selected = operations
  .filter(({ name }) => !['workspaces.resetToken', 'userData.delete'].includes(name))
  .filter(({ name }) => isWide || FEW.includes(name))
  .toSorted((a, b) => rank(a) - rank(b));

/** Additions come first and deletions last. */
function rank({ name }: Operation): number {
  if (/(^|\.)(add|create|set|addUsers)$/.test(name)) return 0;
  return /delete|remove|reset/i.test(name) ? 2 : 1;
}

const send = ({ meta }: Operation, data: object) =>
  post(server.url + meta.path, { data }, headers[meta.level]);

/** Gives every row the largest metadata that may be stored. */
async function fillMetadata(): Promise<void> {
  const tables = ['users', 'documents', 'folders', 'organizations', 'user_groups'];
  const full = `(SELECT jsonb_object_agg('k' || n, 1) FROM generate_series(1, 1500) AS n)`;
  for (const table of tables) await execute(databaseUrl, `UPDATE ${table} SET metadata = ${full}`);
}

/** Waits until background work after the call is done as well. */
async function longestUntilQuiet(): Promise<number> {
  let longest = 0;
  let quiet = 0;
  await eventually(async () => {
    const blockMs = await server.longestBlockMs();
    longest = Math.max(longest, blockMs);
    quiet = blockMs < QUIET_MS ? quiet + 1 : 0;
    if (quiet < 3) throw new Error('It is not quiet.');
  }, DEADLINE_MS);
  return longest;
}

async function longestBlockOf(operation: Operation, fill: string): Promise<number> {
  let longest = Number.POSITIVE_INFINITY;
  const input = heavyInput(operation, FILLS[fill] ?? NONE);
  // Repeats the work, because only blocking by the work itself happens every time.
  for (let attempt = 0; attempt < ATTEMPTS && longest >= LONGEST_BLOCK_MS; attempt++) {
    await server.longestBlockMs();
    const { status } = await send(operation, input);
    expect([200, 400, 403, 404, 409, 500, 502, 503], operation.name).toContain(status);
    longest = Math.min(longest, await longestUntilQuiet());
  }
  return longest;
}

describe('the largest inputs of operations', () => {
  it(
    'do not block the event loop',
    async () => {
      for (const operation of selected) {
        if (rank(operation) < 2) await send(operation, operation.meta.example.request);
      }
      await longestUntilQuiet();
      const slow: string[] = [];
      let isFull = false;
      for (const operation of selected) {
        if (rank(operation) > 0 && !isFull) await fillMetadata();
        isFull ||= rank(operation) > 0;
        for (const fill of fills) {
          const blockMs = await longestBlockOf(operation, fill);
          const found = `${operation.name}, ${fill}: ${Math.round(blockMs)} ms`;
          if (blockMs >= LONGEST_BLOCK_MS) slow.push(found);
          if (isWide) console.info(found);
        }
      }
      expect(slow).toEqual([]);
    },
    DEADLINE_MS,
  );
});

/** Code that is loaded or compiled at its first use would hold the loop after each restart. */
it('the first calls after a restart do not block the event loop', async () => {
  await server.stop();
  await server.start();
  await longestUntilQuiet();
  const first = ['workspaces.create', 'workspaces.update', 'workspaces.get', 'authTokens.get'];
  const blocks: Record<string, number> = {};
  for (const operation of operations.filter(({ name }) => first.includes(name))) {
    await send(operation, operation.meta.example.request);
    blocks[operation.name] = await longestUntilQuiet();
  }
  expect(Object.keys(blocks)).toHaveLength(first.length);
  expect(Object.entries(blocks).filter(([, ms]) => ms >= LONGEST_BLOCK_MS)).toEqual([]);
});

it('archives of large contents do not block the event loop', async () => {
  const { apiKey, workspace } = headers;
  const call = (path: string, data: unknown, by = apiKey) => post(server.url + path, { data }, by);
  const place = { organizationId: 'large', documentId: 'plan' };
  const directory = { createOrganization: true, documents: [{ documentId: 'plan' }] };
  await call('/v2/organizations/documents/add', { ...place, ...directory });
  await call('/v2/crdt/add', { ...place, editorId: 'body', type: 'text', data: 'Hello.' });
  const copied = 'tenant_id, organization_id, document_id, content_key, content_type';
  await execute(
    databaseUrl,
    `INSERT INTO crdt_documents (${copied}, editor_id, log_id, snapshot)
     SELECT ${copied}, 'copy ' || n, gen_random_uuid(), decode(repeat('0f', 8000000), 'hex')
     FROM crdt_documents, generate_series(1, 10) AS n WHERE organization_id = 'large'`,
  );
  const blocks: Record<string, number> = {};
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await longestUntilQuiet();
    const { content, report } = await archivesOf({ call }).export('large');
    expect(report.rows.crdt_documents).toBe(11);
    blocks.export = Math.min(blocks.export ?? Infinity, await longestUntilQuiet());
    const copy = await createTenant({ call, workspaceHeaders: workspace });
    expect(await archivesOf({ call }, copy).import(content)).toMatchObject({ state: 'done' });
    blocks.import = Math.min(blocks.import ?? Infinity, await longestUntilQuiet());
    if (Math.max(blocks.export, blocks.import) < LONGEST_BLOCK_MS) break;
  }
  expect(Object.entries(blocks).filter(([, ms]) => ms >= LONGEST_BLOCK_MS)).toEqual([]);
}, 120_000);
