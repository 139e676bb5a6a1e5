import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, chownSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, it } from 'vitest';
import { dataOf } from '../support/answers.ts';
import { archivesOf } from '../support/archives.ts';
import { attachmentsOf, HELLO, sendFile } from '../support/attachments.ts';
import { eventually } from '../support/eventually.ts';
import { execute, withDatabase } from '../support/global-setup.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

const MEBIBYTE = Buffer.alloc(1_048_576);

/** A database on a small disk of its own: its URL, and the folder of that disk. */
async function databaseOnSmallDisk() {
  const adminUrl = inject('adminUrl');
  const folder = await smallDisk('96m');
  const [{ data_directory }] = await execute(adminUrl, 'SHOW data_directory');
  const { uid, gid } = statSync(data_directory);
  chownSync(folder, uid, gid);
  const name = `test_${randomBytes(6).toString('hex')}`;
  whenFileEnds(async () => {
    await execute(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await execute(adminUrl, `DROP TABLESPACE IF EXISTS ${name}`);
  });
  await execute(adminUrl, `CREATE TABLESPACE ${name} LOCATION '${folder}'`);
  await execute(
    adminUrl,
    `CREATE DATABASE ${name} TEMPLATE ${inject('templateName')} TABLESPACE ${name}`,
  );
  return { databaseUrl: withDatabase(adminUrl, name), folder };
}

/** A folder on a small disk of its own. */
async function smallDisk(size: string): Promise<string> {
  const folder = await temporaryFolder('test-small-disk-');
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  whenFileEnds(() => execFileSync('umount', [folder]));
  return folder;
}

function fill(file: string): void {
  try {
    for (;;) appendFileSync(file, MEBIBYTE);
  } catch {
    // The disk is full.
  }
}

const readiness = async ({ url }: TestServer) => {
  const answer = await fetch(`${url}/readyz`);
  return { http: answer.status, ...((await answer.json()) as object) };
};

it.skipIf(process.getuid?.() !== 0)(
  'a full disk of the database is reported as such, and the service continues once there is room',
  async () => {
    const { databaseUrl, folder } = await databaseOnSmallDisk();
    const server = await startTestServer({ DATABASE_URL: databaseUrl });
    let count = 0;
    const addUser = () => {
      const notes = randomBytes(6_000).toString('hex');
      const users = [{ userId: `user-${++count}`, notes }];
      return server.call('/v1/users/add', { organizationId: 'acme', users });
    };
    expect((await addUser()).status).toBe(200);
    const filler = path.join(folder, 'filler');
    fill(filler);
    await eventually(async () => {
      const { status, body } = await addUser();
      expect([status, body.error?.status, body.error?.message]).toEqual([
        503,
        'UNAVAILABLE',
        'The disk is full. Try again once there is room.',
      ]);
    });
    const problem = 'The disk of the database is full.';
    expect(await readiness(server)).toMatchObject({ http: 503, status: 'unavailable', problem });
    rmSync(filler);
    await eventually(async () =>
      expect(await readiness(server)).toMatchObject({ status: 'ready' }),
    );
    expect((await addUser()).status).toBe(200);
  },
);

it.skipIf(process.getuid?.() !== 0)(
  'a full disk of attachments refuses files that do not fit, and takes smaller ones; a read-only one takes none',
  async () => {
    const FILES_DIR = await smallDisk('1m');
    const files = attachmentsOf(await startTestServer({ FILES_DIR }));
    const place = await files.newPlace();
    const content = new Uint8Array(3 * MEBIBYTE.length);
    for (let attempt = 0; attempt < 2; attempt++) {
      const link = await files.announce(place, { size: content.length });
      const answer = await sendFile(link, content);
      const message = 'The disk is full. Try again once there is room.';
      const error = { status: 'UNAVAILABLE', message, code: 503 };
      expect([answer.status, await answer.json()]).toEqual([503, { error }]);
    }
    await files.upload(place);
    // Many systems mount a disk read-only after an error.
    execFileSync('mount', ['-o', 'remount,ro', FILES_DIR]);
    const link = await files.announce(place);
    const refused = await sendFile(link, HELLO);
    expect([refused.status, (await refused.json()).error.status]).toEqual([500, 'INTERNAL']);
    execFileSync('mount', ['-o', 'remount,rw', FILES_DIR]);
    expect((await sendFile(link, HELLO)).status).toBe(200);
  },
);

it.skipIf(process.getuid?.() !== 0)(
  'an export for which the disk has no room fails at once, with this reason, and works once there is room',
  async () => {
    const FILES_DIR = await smallDisk('2m');
    const server = await startTestServer({ FILES_DIR });
    const files = attachmentsOf(server);
    const archives = archivesOf(server);
    const place = await files.newPlace();
    await files.upload(place, Buffer.alloc(600_000));
    const filler = path.join(FILES_DIR, 'filler');
    fill(filler);
    const { organizationId } = place;
    const { jobId } = dataOf(await archives.call('export', { organizationId }));
    const problem = "The server's disk is full. Start again once there is free space.";
    expect(await archives.end(jobId)).toMatchObject({ state: 'failed', problem });
    rmSync(filler);
    expect(await archives.export(organizationId)).toMatchObject({ state: 'done' });
  },
);
