import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { frameUpdate } from '../../src/features/crdt/log/update-framing.ts';
import { dataOf, fresh, invalid } from '../support/answers.ts';
import { archivesOf } from '../support/archives.ts';
import { eventually } from '../support/eventually.ts';
import { execute } from '../support/global-setup.ts';
import { operationOf } from '../support/operations.ts';
import { LONGEST_BLOCK_MS, watchedServer } from '../support/processes.ts';
import { createTenant, post } from '../support/server.ts';

const QUIET_MS = 20;
// The limits on calls of a key are tested elsewhere.
const { server, databaseUrl, headers, expectNoBlock } = await watchedServer({
  CALLS_IN_FLIGHT_PER_KEY: '0',
});

// Only blocking by the work itself happens every time.
const REPEATED = { retry: 2, timeout: 180_000 };

/** Waits until background work after the call is done as well. */
async function longestUntilQuiet(): Promise<number> {
  let longest = 0;
  let quiet = 0;
  await eventually(async () => {
    const blockMs = await server.longestBlockMs();
    longest = Math.max(longest, blockMs);
    quiet = blockMs < QUIET_MS ? quiet + 1 : 0;
    if (quiet < 3) throw new Error('It is not quiet.');
  }, REPEATED.timeout);
  return longest;
}

const many = Array.from({ length: 800 }, (_, n) => n);
const ownFields = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`k${n}`, 1]));
const text = '<b>'.repeat(60);

/** Gives every row the largest metadata that may be stored. */
async function fillMetadata(): Promise<void> {
  const full = `(SELECT jsonb_object_agg('k' || n, 1) FROM generate_series(1, 1500) AS n)`;
  for (const table of ['users', 'documents', 'organizations']) {
    await execute(databaseUrl, `UPDATE ${table} SET metadata = ${full}`);
  }
}

/**
 * One operation of each kind: large inputs, large answers, and updates and deletions of many large
 * rows.
 */
it('the largest inputs of operations do not block the event loop', REPEATED, async () => {
  const organizationId = fresh('heavy');
  const users = many.map((n) => ({ userId: `user-${n}`, name: text, ...ownFields }));
  const commentData = [{ commentText: text, from: { userId: 'user-1' } }];
  const commentAnnotations = many.map(() => ({ commentData, location: ownFields }));
  const place = { organizationId, documentId: 'plan', createDocument: true };
  const userIds = users.map(({ userId }) => userId);
  const slow: Record<string, number> = {};
  for (const [path, data] of [
    ['/v1/users/add', { organizationId, users }],
    ['/v2/commentannotations/add', { ...place, commentAnnotations }],
    ['/v2/users/get', { organizationId, pageSize: 1_000 }],
    ['/v2/users/update', { organizationId, users: users.map((user) => ({ ...user, k0: 2 })) }],
    ['/v2/users/delete', { organizationId, userIds }],
  ] as const) {
    if (path.endsWith('/get')) await fillMetadata();
    await longestUntilQuiet();
    dataOf(await post(server.url + path, { data }, headers.apiKey));
    const blockMs = await longestUntilQuiet();
    if (blockMs >= LONGEST_BLOCK_MS) slow[path] = Math.round(blockMs);
  }
  expect(slow).toEqual({});
});

/** Code that is loaded or compiled at its first use would hold the loop after each restart. */
it('the first calls after a restart do not block the event loop', async () => {
  await server.stop();
  await server.start();
  await longestUntilQuiet();
  const first = ['workspaces.create', 'workspaces.update', 'workspaces.get', 'authTokens.get'];
  const blocks: Record<string, number> = {};
  for (const name of first) {
    const { path, level, example } = operationOf(name).meta;
    await post(server.url + path, { data: example.request }, headers[level]);
    blocks[name] = await longestUntilQuiet();
  }
  expect(Object.entries(blocks).filter(([, ms]) => ms >= LONGEST_BLOCK_MS)).toEqual([]);
});

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

it('a batch of long responses does not block the event loop', REPEATED, async () => {
  const organizationId = fresh('batch');
  const documentIds = many.slice(0, 100).map((n) => `document-${n}`);
  const documents = documentIds.map((documentId) => ({ documentId }));
  const directory = { organizationId, createOrganization: true, documents };
  const path = '/v2/organizations/documents/add';
  dataOf(await post(server.url + path, { data: directory }, headers.apiKey));
  const userIds = many.map((n) => `user-${n}`);
  const calls = Array(40).fill({ json: { organizationId, userIds, documentIds } });
  await longestUntilQuiet();
  const names = calls.map(() => 'permissions.get');
  const response = await fetch(`${server.url}/trpc/${names}?batch=1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers.apiKey },
    body: JSON.stringify({ ...calls }),
  });
  expect((await response.text()).split('"user-799":')).toHaveLength(calls.length + 1);
  expect(await longestUntilQuiet()).toBeLessThan(LONGEST_BLOCK_MS);
});

it('archives of large contents do not block the event loop', REPEATED, async () => {
  const { organizationId } = await newEditor('Hello.');
  const call = (path: string, data: unknown, by = headers.apiKey) =>
    post(server.url + path, { data }, by);
  const copied = 'tenant_id, organization_id, document_id, content_key, content_type';
  await execute(
    databaseUrl,
    `INSERT INTO crdt_documents (${copied}, editor_id, log_id, snapshot)
     SELECT ${copied}, 'copy ' || n, gen_random_uuid(), decode(repeat('0f', 8000000), 'hex')
     FROM crdt_documents, generate_series(1, 2) AS n WHERE organization_id = '${organizationId}'`,
  );
  await longestUntilQuiet();
  const { content, report } = await archivesOf({ call }).export(organizationId);
  expect(report.rows.crdt_documents).toBe(3);
  expect(await longestUntilQuiet()).toBeLessThan(LONGEST_BLOCK_MS);
  const copy = await createTenant({ call, workspaceHeaders: headers.workspace });
  expect(await archivesOf({ call }, copy).import(content)).toMatchObject({ state: 'done' });
  expect(await longestUntilQuiet()).toBeLessThan(LONGEST_BLOCK_MS);
});

it(
  'a restore to a moment in a log of 10,000 updates does not block the event loop',
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

const LIMIT = 5_242_880;

const ADD = '/v2/commentannotations/add';
const place = { organizationId: 'acme', documentId: 'plan' };
const annotation = (more: object) => ({
  ...place,
  createOrganization: true,
  createDocument: true,
  commentAnnotations: [{ commentData: [{ commentText: 'x', from: { userId: 'ada' } }], ...more }],
});

/**
 * Each list refers to the previous one twice, which makes 2^24 values if anybody writes them out.
 */
const doubling = () => {
  const json = Object.fromEntries(
    Array.from({ length: 24 }, (_, at) => [`l${at}`, { a: 1, b: 1 }]),
  );
  const referentialEqualities = Object.fromEntries(
    Array.from({ length: 23 }, (_, at) => [`l${at}`, [`l${at + 1}.a`, `l${at + 1}.b`]]),
  );
  const input = { ...annotation({ metadata: {} }), ...json };
  return { json: input, meta: { referentialEqualities, v: 1 } };
};
/** Values that were undefined, under paths of 95 parts each. */
const deepPaths = (count: number) => {
  const names = Array.from({ length: count }, (_, at) => `k${at}`);
  const values = names.map((name) => [`${'a.'.repeat(94)}${name}`, ['undefined']]);
  let json: object = Object.fromEntries(names.map((name) => [name, null]));
  for (let level = 0; level < 94; level++) json = { a: json };
  return { json, meta: { values: Object.fromEntries(values), v: 1 } };
};
const inData = (field: string) => `{"data":{"organizationId":"a","x":${field}}}`;

type Attack = [what: string, path: string, body: () => object | string];
const ATTACKS: Attack[] = [
  ['references that double', '/trpc/commentAnnotations.add', doubling],
  [
    'long paths in a batch',
    `/trpc/${Array(50).fill('commentAnnotations.add').join(',')}?batch=1`,
    () => Object.fromEntries(Array.from({ length: 50 }, (_, at) => [at, deepPaths(210)])),
  ],
  ['five million lists in each other', ADD, () => '['.repeat(LIMIT)],
  ['two million objects', ADD, () => inData(`[${'{},'.repeat(1_700_000)}1]`)],
  [
    'a hundred thousand items of the wrong type',
    '/v2/users/update',
    () => ({ data: { organizationId: 'a', users: Array(110_000).fill(1) } }),
  ],
  [
    'names of 39,000 fields that are as long as may be',
    ADD,
    () => {
      const names = Array.from({ length: 39_000 }, (_, at) => [`${at}`.padEnd(50, 'k'), 1]);
      return { data: annotation({ metadata: Object.fromEntries(names) }) };
    },
  ],
  ['one text that never ends', ADD, () => `{"data":{"a":"${'x'.repeat(LIMIT - 20)}`],
];

describe('no request blocks the event loop', () => {
  // The first call compiles code, which does not count.
  beforeAll(() => post(server.url + ADD, { data: annotation({}) }, headers.apiKey));

  it.each(ATTACKS)('by %s', REPEATED, async (_what, path, body) => {
    const sent = body();
    const text = typeof sent === 'string' ? sent : JSON.stringify(sent);
    for (const own of [{ ...headers.apiKey, 'idempotency-key': randomUUID() }, {}]) {
      await expectNoBlock(async () => {
        const { status } = await post(server.url + path, text, own);
        expect(status).toBeLessThan(500);
      });
    }
  });

  it('not even five large bodies at once', REPEATED, async () => {
    const commentData = [{ commentText: 'x'.repeat(60_000), from: { userId: 'ada' } }];
    const commentAnnotations = Array.from({ length: 70 }, () => ({ commentData }));
    const body = JSON.stringify({ data: { ...annotation({}), commentAnnotations } });
    await expectNoBlock(async () => {
      const sent = Array.from({ length: 5 }, () => post(server.url + ADD, body, headers.apiKey));
      const statuses = (await Promise.all(sent)).map(({ status }) => status);
      expect(statuses).toContain(200);
    });
  });
});

/** A text of the maximum number of words: pairs of characters that no other text has. */
const manyWords = (seed: number) =>
  Array.from({ length: 2_000 }, (_, at) =>
    String.fromCharCode(0x4e00 + ((at * (seed * 2 + 1)) % 20_000)),
  ).join('');

it('a batch of long judgments blocks nobody, and is found by its words', REPEATED, async () => {
  let recordIds: string[] = [];
  await expectNoBlock(async () => {
    const judgments = Array.from({ length: 30 }, (_, at) => ({
      query: manyWords(at),
      decision: 'approved',
      organizationId: 'acme',
    }));
    const data = { judgments };
    const added = await post(`${server.url}/v2/memory/judgments/add`, { data }, headers.apiKey);
    expect(added.status).toBe(200);
    recordIds = added.body.result.data.recordIds;
  });
  const search = { organizationId: 'acme', query: manyWords(7), limit: 1 };
  const found = await post(`${server.url}/v2/memory/search`, { data: search }, headers.apiKey);
  const [best] = found.body.result.data;
  expect(best.recordId).toBe(recordIds[7]);
});

it('content over its limit is refused, with the name of the field', async () => {
  const names = many.flatMap((n) => many.slice(0, 25).map((at) => [`${n}-${at}`, 1]));
  const data = annotation({ metadata: Object.fromEntries(names) });
  const { body } = await post(server.url + ADD, { data }, headers.apiKey);
  expect(body).toEqual(invalid('commentAnnotations[0].metadata'));
});
