import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { compareServers } from '../../src/cli/archive/compare.ts';
import { createServerClient } from '../../src/client/server.ts';
import { dataOf, fresh, type Headers } from '../support/answers.ts';
import { archivesOf } from '../support/archives.ts';
import { attachmentsOf } from '../support/attachments.ts';
import { databaseClient } from '../support/database-client.ts';
import { eventually } from '../support/eventually.ts';
import { holdTransaction } from '../support/hold-transaction.ts';
import { serverProcess } from '../support/processes.ts';
import { createDatabase, createTenant, post } from '../support/server.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

/** How long a busy machine may take to start a process and to do the whole job. */
const TAKEN_OVER_MS = 120_000;
const call = (route: string, data: unknown, headers: Headers = ours) =>
  post(`${server.url}${route}`, { data }, headers);
const newKey = async (): Promise<Headers> => {
  const { workspace: workspaceHeaders } = await server.headersByLevel();
  return createTenant({ call, workspaceHeaders });
};

const databaseUrl = await createDatabase();
const server = await serverProcess({ DATABASE_URL: databaseUrl });
await server.start();
/** The key whose organization is exported. */
const ours: Headers = await server.keyHeaders();
const archives = archivesOf({ call }, ours);
const watcher = await databaseClient(databaseUrl);

async function hold(statement: string) {
  const held = await holdTransaction(databaseUrl, statement);
  // The locks of a failed test would hold up the next test.
  whenTestEnds(() => held.release());
  return held;
}

/** Holds up those who write such rows of a table. */
async function holdAt(lock: number, write: string, condition: string) {
  await watcher.query(`
    CREATE FUNCTION hold_${lock}() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock(${lock}); RETURN NEW; END';
    CREATE TRIGGER hold_${lock} BEFORE ${write}
      FOR EACH ROW WHEN (NEW.${condition}) EXECUTE FUNCTION hold_${lock}()`);
  return hold(`SELECT pg_advisory_xact_lock(${lock})`);
}

/** An organization with a thread, an attachment, and a judgment, as its archive has. */
async function fill(headers: Headers): Promise<string> {
  const organizationId = fresh('org');
  const place = { organizationId, documentId: 'plan' };
  const documents = [{ documentId: 'plan', documentName: 'Plan' }];
  const directory = { organizationId, createOrganization: true, documents };
  dataOf(await call('/v2/organizations/documents/add', directory, headers));
  const { attachmentId } = await attachmentsOf({ call }).upload(place, undefined, {}, headers);
  const from = { userId: 'ada', name: 'Ada' };
  const commentData = [{ from, commentText: 'Seen?', attachments: [{ attachmentId }] }];
  const threads = { ...place, commentAnnotations: [{ commentData }] };
  dataOf(await call('/v2/commentannotations/add', threads, headers));
  const judgment = { query: 'Work from abroad', decision: 'approved', reviewer: from };
  const judgments = [{ ...judgment, ...place }];
  dataOf(await call('/v2/memory/judgments/add', { judgments }, headers));
  return organizationId;
}

/** Kills the server. Its jobs begin again 20 s after its last heartbeat, which is made older here. */
async function kill(): Promise<void> {
  await server.kill();
  await watcher.query(
    `UPDATE pgboss.job SET heartbeat_on = now() - interval '1 minute' WHERE state = 'active'`,
  );
}

const organizationsOf = async (headers: Headers) =>
  dataOf(await call('/v2/organizations/get', {}, headers));

/** Expects that another key has what an organization of ours has. */
async function expectSame(theirs: Headers, organizationId: string): Promise<void> {
  const clientOf = (headers: Headers) =>
    createServerClient({
      url: server.url,
      apiKey: headers['x-svc-api-key'] ?? '',
      authToken: headers['x-svc-auth-token'] ?? '',
    });
  const { differences } = await compareServers(
    [clientOf(ours), clientOf(theirs)],
    [organizationId],
  );
  expect(differences).toEqual([]);
}

describe('a process that is killed', () => {
  it('leaves nothing half done of an export and an import, which are both done after its restart', async () => {
    const organizationId = await fill(ours);
    const { content } = await archives.export(organizationId);
    const theirs = await newKey();
    const others = await newKey();

    const rows = await hold('LOCK TABLE memory_judgments IN ACCESS EXCLUSIVE MODE');
    const exported = dataOf(await archives.call('export', { organizationId })).jobId;
    const imported = await archivesOf({ call }, theirs).start(content);
    await rows.holdsUp(1, 'COPY (');
    await rows.holdsUp(1, 'INTO "memory_judgments"');
    await kill();
    await rows.release();
    await server.start();
    expect(await organizationsOf(theirs)).toEqual([]);
    for (const [headers, jobId] of [
      [ours, exported],
      [theirs, imported],
    ] as const) {
      const { state, archive } = await archivesOf({ call }, headers).status(jobId);
      expect({ state, archive }).toEqual({ state: 'running', archive: undefined });
    }

    const { state, archive, report } = await archives.end(exported);
    expect(state).toBe('done');
    expect(report).toMatchObject({ files: 1, missingFiles: 0 });
    const written = await fetch(archive?.url ?? '');
    const again = await archivesOf({ call }, others).import(
      new Uint8Array(await written.arrayBuffer()),
    );
    expect(again.state).toBe('done');
    expect(await archivesOf({ call }, theirs).end(imported)).toMatchObject({ state: 'done' });
    for (const headers of [theirs, others]) await expectSame(headers, organizationId);
    expect(await readdir(path.join(server.dataDir, 'transfers'))).toEqual([]);
  }, 240_000);

  it('at the commit of an export and an import leaves both either done or to be done', async () => {
    const organizationId = await fill(ours);
    const { content } = await archives.export(organizationId);
    const theirs = await newKey();
    const ends = await holdAt(99, 'UPDATE ON transfers', "state = 'done'");
    const exported = dataOf(await archives.call('export', { organizationId })).jobId;
    const imported = await archivesOf({ call }, theirs).start(content);
    await ends.holdsUp(2, 'UPDATE transfers SET request');
    await kill();
    await server.start();
    expect(await organizationsOf(theirs)).toEqual([]);
    expect((await archives.status(exported)).archive).toBeUndefined();
    await ends.release();
    expect(await archivesOf({ call }, theirs).end(imported)).toMatchObject({ state: 'done' });
    const { archive } = await archives.end(exported);
    expect((await fetch(archive?.url ?? '')).ok).toBe(true);
    await expectSame(theirs, organizationId);
  }, 240_000);

  it('fails its import after the restart when the archive is gone, and shows nothing of it', async () => {
    const { content } = await archives.export(await fill(ours));
    const theirs = await newKey();
    const rows = await hold('LOCK TABLE memory_judgments IN ACCESS EXCLUSIVE MODE');
    const jobId = await archivesOf({ call }, theirs).start(content);
    await rows.holdsUp(1, 'INTO "memory_judgments"');
    await kill();
    await rows.release();
    await rm(path.join(server.dataDir, 'files', theirs['x-svc-api-key'] ?? '-'), {
      recursive: true,
    });
    await server.start();
    expect(await archivesOf({ call }, theirs).end(jobId)).toMatchObject({
      state: 'failed',
      problem: 'The archive no longer exists.',
    });
    expect(await organizationsOf(theirs)).toEqual([]);
  }, 240_000);
});

it('an import that another worker took over, since the first one was suspended, is done if the first one commits it', async () => {
  const { content } = await archives.export(await fill(ours));
  const theirs = await newKey();
  const files = await holdAt(98, 'INSERT ON attachments', "organization_id <> ''");
  const jobId = await archivesOf({ call }, theirs).start(content);
  await files.holdsUp(1, 'INTO "attachments"');
  const job = `name = 'archives.import' AND data->>'jobId' = '${jobId}'`;
  await eventually(async () => {
    await watcher.query(`
      UPDATE pgboss.job SET heartbeat_on = now() - interval '1 minute'
      WHERE ${job} AND state = 'active' AND retry_count = 0`);
    const { rows } = await watcher.query(`
      SELECT FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database()
        AND query LIKE '%INTO "organizations"%'`);
    expect(rows).toHaveLength(1);
  }, TAKEN_OVER_MS);
  await files.release();
  await eventually(async () => {
    const { rows } = await watcher.query(`SELECT state FROM pgboss.job WHERE ${job}`);
    expect(rows).toEqual([{ state: 'completed' }]);
  }, TAKEN_OVER_MS);
  expect(await archivesOf({ call }, theirs).status(jobId)).toMatchObject({ state: 'done' });
  expect(await organizationsOf(theirs)).toHaveLength(1);
}, 240_000);
