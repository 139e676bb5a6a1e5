import { expect, it } from 'vitest';
import * as Y from 'yjs';
import { frameUpdate } from '../../src/features/crdt/log/update-framing.ts';
import type { Operation } from '../../src/server/rest.ts';
import { dataOf, fresh } from '../support/answers.ts';
import { archivesOf } from '../support/archives.ts';
import { eventually } from '../support/eventually.ts';
import { execute } from '../support/global-setup.ts';
import { FILLS, heavyInput, NONE } from '../support/heavy-inputs.ts';
import { operations } from '../support/operations.ts';
import { LONGEST_BLOCK_MS, watchedServer } from '../support/processes.ts';
import { createTenant, post } from '../support/server.ts';

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
const nowhere = 'http://127.0.0.1:9';
const environment = { OPENAI_BASE_URL: nowhere, SENDGRID_BASE_URL: nowhere };
const { server, databaseUrl, headers } = await watchedServer({
  ...environment,
  CALLS_IN_FLIGHT_PER_KEY: '0',
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

it(
  'the largest inputs of operations do not block the event loop',
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

// Only blocking by the work itself happens every time.
const REPEATED = { retry: ATTEMPTS - 1, timeout: 120_000 };

/** Makes an editor of an organization of its own. @returns what calls its operations */
async function newEditor(data: string) {
  const editor = { organizationId: fresh('long'), documentId: 'plan', editorId: 'body' };
  const call = async (path: string, more: object) =>
    dataOf(await post(server.url + path, { data: { ...editor, ...more } }, headers.apiKey));
  const directory = { createOrganization: true, documents: [{ documentId: 'plan' }] };
  await call('/v2/organizations/documents/add', directory);
  await call('/v2/crdt/add', { type: 'text', data });
  return { organizationId: editor.organizationId, call };
}

it('archives of large contents do not block the event loop', REPEATED, async () => {
  const { organizationId } = await newEditor('Hello.');
  const call = (path: string, data: unknown, by = headers.apiKey) =>
    post(server.url + path, { data }, by);
  const copied = 'tenant_id, organization_id, document_id, content_key, content_type';
  await execute(
    databaseUrl,
    `INSERT INTO crdt_documents (${copied}, editor_id, log_id, snapshot)
     SELECT ${copied}, 'copy ' || n, gen_random_uuid(), decode(repeat('0f', 8000000), 'hex')
     FROM crdt_documents, generate_series(1, 3) AS n WHERE organization_id = '${organizationId}'`,
  );
  await longestUntilQuiet();
  const { content, report } = await archivesOf({ call }).export(organizationId);
  expect(report.rows.crdt_documents).toBe(4);
  expect(await longestUntilQuiet()).toBeLessThan(LONGEST_BLOCK_MS);
  const copy = await createTenant({ call, workspaceHeaders: headers.workspace });
  expect(await archivesOf({ call }, copy).import(content)).toMatchObject({ state: 'done' });
  expect(await longestUntilQuiet()).toBeLessThan(LONGEST_BLOCK_MS);
});

it(
  'restores a moment in a log of 10,000 updates without blocking the event loop',
  REPEATED,
  async () => {
    const { organizationId, call } = await newEditor('');
    const doc = new Y.Doc();
    const text = doc.getText('content');
    const rows: string[] = [];
    const startsAt = Date.now() - 60_000;
    doc.on('update', (update) => {
      const [version, at] = [rows.length + 10, new Date(startsAt + rows.length).toISOString()];
      const framed = frameUpdate(update).toString('hex');
      rows.push(`(${version}, ${version}, '${at}'::timestamptz, '\\x${framed}'::bytea)`);
    });
    let expected = '';
    for (let count = 1; count <= 10_000; count++) {
      text.insert(count % 3 === 0 ? 0 : text.length, `word ${count} `);
      if (count === 6_000) expected = text.toString();
    }
    const since = new Date(startsAt - 1).toISOString();
    await execute(
      databaseUrl,
      `UPDATE crdt_updates SET created_at = '${since}';
     INSERT INTO crdt_updates (tenant_id, log_id, first_version, version, created_at, updates)
     SELECT tenant_id, log_id, row.* FROM crdt_documents, (VALUES ${rows.join()}) AS row
     WHERE organization_id = '${organizationId}';
     UPDATE crdt_documents SET updated_at = '${since}'
     WHERE organization_id = '${organizationId}'`,
    );
    await longestUntilQuiet();
    await call('/v2/crdt/versions/restore', { at: startsAt + 5_999 });
    expect(await longestUntilQuiet()).toBeLessThan(LONGEST_BLOCK_MS);
    expect((await call('/v2/crdt/get', {}))[0].data).toBe(expected);
  },
);
