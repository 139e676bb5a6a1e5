import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dependents } from '../../src/features/dependents.ts';
import {
  deleteFolderHandler,
  deleteOrganizationHandler,
} from '../../src/features/directory/deletion/deletion-jobs.ts';
import type { Job } from '../../src/platform/jobs/job.ts';
import { directoryOf, organize } from '../support/directory.ts';
import { openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { holdTransaction } from '../support/hold-transaction.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

/** Serves requests and runs no jobs. */
const server = await startTestServer({ ROLES: 'api,realtime' });
const { services } = server.app;
const { db, jobs } = services;
const { pool } = db;
const directory = directoryOf(server);

const OF_ORGANIZATION = 'WHERE tenant_id = $1 AND organization_id = $2';

/** Runs jobs until the test ends. */
async function startWorker(): Promise<TestServer> {
  const worker = await startTestServer({ DATABASE_URL: server.databaseUrl, ROLES: 'worker' });
  whenTestEnds(() => worker.app.stop());
  return worker;
}

/** An organization with folders a/b and c, and many documents in b. */
async function fill(organizationId: string, documents: number): Promise<void> {
  const folders = ['a', { folderId: 'b', parentFolderId: 'a' }, 'c'];
  await organize(server, organizationId, { folders });
  await pool.query(
    `INSERT INTO documents (tenant_id, organization_id, document_id, document_name, folder_id)
     SELECT $1, $2, 'd' || n, 'd' || n, 'b' FROM generate_series(1, $3::int) AS n`,
    [server.quickstart.apiKey, organizationId, documents],
  );
}

const removeFolder = async (organizationId: string, folderId: string) =>
  (await directory.call('folders/delete', { organizationId, folderId })).data[folderId];

const reasonOf = async (operation: string, data: object) =>
  (await server.call(`/v2/organizations/${operation}`, data)).body.error?.details?.reason;

/** Expects that neither way to grant access works or creates the user. */
async function refusesGrants(resource: { type: string; id: string; organizationId: string }) {
  const permissions = { resources: [resource] };
  for (const [path, data] of [
    ['/v2/auth/permissions/add', { user: { userId: 'late' }, permissions }],
    ['/v2/auth/generate_token', { userId: 'late', permissions }],
  ] as const) {
    const { body } = await server.call(path, data);
    expect(body.error.details.reason).toBe(`${resource.type}_not_found`);
  }
}

async function deletedOnce(organizationId: string, expected: Record<string, number>) {
  const counts: Record<string, number> = {};
  const seen = new Set<string>();
  for (const { type, data } of await directory.eventsOf(organizationId)) {
    if (!type.endsWith('.delete')) continue;
    counts[type] = (counts[type] ?? 0) + 1;
    seen.add(`${type} ${data.id ?? data.folderId ?? data.organizationId}`);
  }
  expect(counts).toEqual(expected);
  expect(seen.size).toBe(Object.values(expected).reduce((sum, count) => sum + count, 0));
}

const isGone = (table: string, organizationId: string, left = 0) =>
  eventually(async () => expect(await directory.count(table, organizationId)).toBe(left));

describe('the deletion of a large folder', () => {
  it('is reported as a background job, and begins at once at a waiting worker of another process', async () => {
    await startWorker();
    await fill('large', 5_001);
    expect(await removeFolder('large', 'a')).toEqual({
      success: true,
      id: 'a',
      message: 'Deletion started; 5001 documents are being removed in the background.',
    });
    await isGone('folders', 'large', 1);
    expect(await directory.count('documents', 'large')).toBe(0);
    await deletedOnce('large', { 'document.delete': 5_001, 'folder.delete': 2 });
  });

  it('accepts no additions and no records once it was requested, except of documents that are moved out, and ends the access of users', async () => {
    const organizationId = 'closed';
    await fill(organizationId, 5_001);
    await directory.call('documents/add', { organizationId, documents: [{ documentId: 'new' }] });
    const token = await userToken(server, 'ada');
    const editor = await openEditor({ url: server.url, name: 'closed/d2/body', token });
    await removeFolder(organizationId, 'a');
    expect((await removeFolder(organizationId, 'a')).message).toContain('in progress');
    expect((await removeFolder(organizationId, 'b')).message).toContain('in progress');

    const headers = { authorization: `Bearer ${token}` };
    const { body } = await server.call(
      '/v2/crdt/get',
      { organizationId, documentId: 'd2' },
      headers,
    );
    expect(body.error.status).toBe('PERMISSION_DENIED');
    // Access is checked again after any event of the organization, such as the first one of the job.
    await server.ok('/v1/users/add', { organizationId, users: [{ userId: 'other' }] });
    await eventually(() => expect(editor.refusals).toEqual(['NOT_FOUND']));

    for (const folderId of ['a', 'b']) {
      for (const [path, data] of [
        ['/v2/organizations/documents/add', { documents: [{ documentId: 'newer' }] }],
        ['/v2/organizations/documents/move', { documentIds: ['new'] }],
        ['/v1/users/add', { users: [{ userId: 'ada' }] }],
      ] as const) {
        const { body } = await server.call(path, { organizationId, folderId, ...data });
        expect(body.error.details.reason).toBe('folder_not_found');
      }
      await refusesGrants({ type: 'folder', id: folderId, organizationId });
    }
    await refusesGrants({ type: 'document', id: 'd1', organizationId });
    const folders = [{ folderId: 'e', parentFolderId: 'b' }];
    const added = (await directory.call('folders/add', { organizationId, folders })).data.e;
    const moved = await directory.updateFolders(organizationId, [
      { folderId: 'c', parentFolderId: 'b' },
    ]);
    for (const outcome of [added, moved.c]) {
      expect(outcome).toMatchObject({ success: false, message: 'Parent folder is being deleted.' });
    }

    const [from, message] = [{ userId: 'ada' }, 'Hello'];
    const records: Array<[path: string, data: object]> = [
      ['/v2/commentannotations/add', { commentAnnotations: [{ commentData: [{ from }] }] }],
      ['/v2/recordings/add', { recordings: [{ from, url: 'https://media.example.com/a' }] }],
      ['/v2/attachments/create_upload', { name: 'a.txt', type: 'text/plain', size: 5 }],
      [
        '/v2/notifications/add',
        {
          ...{ actionUser: from, notifyUsers: [from] },
          ...{ displayHeadlineMessageTemplate: message, displayBodyMessage: message },
        },
      ],
      ['/v1/users/add', { users: [from] }],
    ];
    const outcomes = () =>
      Promise.all(
        records.map(async ([path, data]) => {
          const answer = await server.call(path, { organizationId, documentId: 'd1', ...data });
          return [path, answer.body.error?.details.reason ?? answer.status];
        }),
      );
    expect(await outcomes()).toEqual(records.map(([path]) => [path, 'document_not_found']));
    // A document that is moved out in time is kept.
    const out = { organizationId, documentIds: ['d1'], folderId: null };
    expect((await directory.call('documents/move', out)).data.d1.success).toBe(true);
    expect(await outcomes()).toEqual(records.map(([path]) => [path, 200]));

    await startWorker();
    await isGone('folders', organizationId, 1);
    const left = (await directory.call('documents/get', { organizationId })).data;
    expect(left.map((row: { id: string }) => row.id)).toEqual(['d1', 'new']);
    // The id is free once the folder is deleted.
    await eventually(async () => {
      const again = { organizationId, folders: [{ folderId: 'a' }] };
      expect((await directory.call('folders/add', again)).data.a.success).toBe(true);
    });
  });

  it('is taken over from a dead process, resumes after a stop in the middle, and publishes each document once', async () => {
    await fill('resumed', 12_000);
    await removeFolder('resumed', 'a');
    // The state after a crash: an active job whose heartbeat has stopped.
    await pool.query(
      `UPDATE pgboss.job SET state = 'active', started_on = now() - interval '1 minute',
         heartbeat_on = now() - interval '1 minute' WHERE name = 'folders.delete' AND state = 'created'`,
    );
    const first = await startWorker();
    await eventually(async () => {
      expect(await directory.count('documents', 'resumed')).toBeLessThan(12_000);
    });
    await first.app.stop();
    expect(await directory.count('documents', 'resumed')).toBeGreaterThan(0);
    await startWorker();
    await isGone('folders', 'resumed', 1);
    await deletedOnce('resumed', { 'document.delete': 12_000, 'folder.delete': 2 });
  });
});

describe('a deletion job', () => {
  /** Runs the jobs of a folder and of its organization with the payload of a process. */
  const run = async (organizationId: string, sent: object = {}) => {
    const { signal } = new AbortController();
    const organization = { tenantId: server.quickstart.apiKey, organizationId, ...sent };
    await deleteFolderHandler(dependents).run(services, { ...organization, folderId: 'a' }, signal);
    await deleteOrganizationHandler(dependents).run(services, organization, signal);
  };

  it('that runs again keeps a new folder or organization with the id of the deleted one', async () => {
    await fill('again', 10);
    await run('again');
    expect(await directory.count('folders', 'again')).toBe(3);
    expect(await directory.count('documents', 'again')).toBe(10);
  });

  it('continues when others delete all documents that it chose for a step', async () => {
    const organizationId = 'raced';
    await fill(organizationId, 1_000);
    const tenantId = server.quickstart.apiKey;
    const place = [tenantId, organizationId];
    await pool.query(`UPDATE folders SET is_being_deleted = true ${OF_ORGANIZATION}`, place);
    const deletion = `DELETE FROM documents ${OF_ORGANIZATION}`;
    const other = await holdTransaction(server.databaseUrl, deletion, place);
    const ref = { tenantId, organizationId, folderId: 'a' };
    const { signal } = new AbortController();
    const running = deleteFolderHandler(dependents).run(services, ref, signal);
    await other.holdsUp(1);
    await other.release();
    await running;
    expect(await directory.count('folders', organizationId)).toBe(1);
  });

  it.each([
    ['this version', {}],
    ['version 0.2.0, whose payload has another field', { isMarked: true }],
  ])('from %s: folders and organizations that are being deleted are removed', async (_, sent) => {
    const organizationId = `marked ${JSON.stringify(sent)}`;
    await fill(organizationId, 10);
    for (const table of ['organizations', 'folders']) {
      await pool.query(`UPDATE ${table} SET is_being_deleted = true ${OF_ORGANIZATION}`, [
        server.quickstart.apiKey,
        organizationId,
      ]);
    }
    await run(organizationId, sent);
    expect(await directory.count('organizations', organizationId)).toBe(0);
    const deleted = { 'document.delete': 10, 'folder.delete': 3, 'organization.delete': 1 };
    await deletedOnce(organizationId, deleted);
  });
});

it('the deletion of a large organization hides it at once, deletes its content in the background, and frees its id', async () => {
  const organizationId = 'huge';
  await fill(organizationId, 5_001);
  await directory.call('add', { organizations: [{ organizationId: 'small' }] });
  const both = { organizationIds: [organizationId, 'small'] };
  const { data } = await directory.call('delete', both);
  expect([data.huge.message, data.small.message]).toEqual([
    'Deletion started; 5001 documents are being removed in the background.',
    'Organization deleted.',
  ]);
  for (const createOrganization of [true, false]) {
    const input = { organizationId, createOrganization, documents: [{ documentId: 'new' }] };
    expect(await reasonOf('documents/add', input)).toBe('organization_not_found');
  }
  await refusesGrants({ type: 'organization', id: organizationId, organizationId });
  await refusesGrants({ type: 'folder', id: 'a', organizationId });
  const asked = { organizationId, userIds: ['ada'], documentIds: ['d1'] };
  const seen = await server.call('/v2/auth/permissions/get', asked);
  expect(seen.body.error.status).toBe('NOT_FOUND');
  const headers = { authorization: `Bearer ${await userToken(server, 'ada')}` };
  const inFolder = { organizationId, folderId: 'a' };
  const threads = await server.call('/v2/commentannotations/get', inFolder, headers);
  expect(threads.body.error?.status).toBe('PERMISSION_DENIED');
  const users = [{ userId: 'late', name: 'Late' }];
  const updated = await server.call('/v2/users/update', { organizationId, users });
  expect(updated.body.error.details.reason).toBe('organization_not_found');
  const organizations = [{ organizationId }];
  const early = (await directory.call('add', { organizations })).data.huge;
  expect(early).toMatchObject({ success: false, message: 'Organization is being deleted.' });
  const twice = await directory.call('delete', { organizationIds: [organizationId] });
  expect(twice.data.huge.message).toContain('in progress');

  await startWorker();
  await isGone('organizations', organizationId);
  const deleted = { 'document.delete': 5_001, 'folder.delete': 3, 'organization.delete': 1 };
  await deletedOnce(organizationId, deleted);
  await eventually(async () => {
    expect((await directory.call('add', { organizations })).data.huge.success).toBe(true);
  });
});

it('a job is queued if and only if its change is committed, and once for each key', async () => {
  const job: Job<{ name: string }> = {
    name: 'folders.delete',
    payload: z.object({ name: z.string() }),
    keyOf: ({ name }) => name,
  };
  const failing = db.transaction(async (tx) => {
    await jobs.add(tx, job, [{ name: 'undone' }]);
    throw new Error('changed my mind');
  });
  await expect(failing).rejects.toThrow('changed my mind');
  const add = () => db.transaction((tx) => jobs.add(tx, job, [{ name: 'done' }, { name: 'too' }]));
  await Promise.all([add(), add(), add()]);
  const { rows } = await pool.query(
    `SELECT singleton_key AS key FROM pgboss.job WHERE name = $1 AND state <= 'active' ORDER BY 1`,
    [job.name],
  );
  const keys = rows.map(({ key }) => key);
  expect(keys.filter((key) => ['undone', 'done', 'too'].includes(key))).toEqual(['done', 'too']);
});
