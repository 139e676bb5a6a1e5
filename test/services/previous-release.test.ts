import { execFile } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import { editorsOf } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { type ServerProcess, serverProcess } from '../support/processes.ts';
import { startReceiver } from '../support/receiver.ts';
import { createDatabase, post } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { PATHS } from '../support/webhooks.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);

/**
 * Writes the code of the last release (prisma/previous-release: its tag and commit) into a folder, which is removed
 * at the end of the file. It runs with the packages of this release. Releases before 0.3.0 need Prisma's client,
 * for which `prisma` and `@prisma/client` stay among the development packages.
 *
 * @returns the folder; undefined where the history does not reach back so far
 */
async function previousRelease(): Promise<string | undefined> {
  const [tag = '', commit = ''] = (
    await readFile(path.join(ROOT, 'prisma/previous-release'), 'utf8')
  ).split(/\s+/);
  const git = (...args: string[]) => run('git', args, { cwd: ROOT });
  const isThere = await git('cat-file', '-e', `${commit}^{commit}`).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  // Clones may lack tags, but a tag that is there names the same commit.
  const tagged = await git('rev-parse', `${tag}^{commit}`).catch(() => undefined);
  if (tagged && tagged.stdout.trim() !== commit) throw new Error(`${tag} is not ${commit}.`);
  const folder = await temporaryFolder('test-release-');
  const archive = path.join(folder, 'release.tar');
  const files = ['src', 'prisma', 'docs', 'package.json', 'prisma.config.ts'];
  await git('archive', '-o', archive, commit, ...files);
  await run('tar', ['-xf', archive], { cwd: folder });
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  await run('npm', ['run', '-s', 'generate:database'], { cwd: folder });
  return folder;
}

const organizationId = 'acme';
const ROUNDS = 4;
const WRITERS = 3;

/**
 * In a rolling upgrade, processes of both releases serve the newer schema for a while. So the
 * previous release is run against it, beside this one and under load.
 */
it('the previous release serves the schema of this one, beside it', async (ctx) => {
  const folder = await previousRelease();
  if (!folder) return ctx.skip('The history lacks the commit that prisma/previous-release names.');
  const environment = {
    DATABASE_URL: await createDatabase(),
    REDIS_URL: inject('redisUrl') ?? '',
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  const newer = await serverProcess(environment);
  const older = await serverProcess(environment, { folder });
  await newer.start();
  await older.start();
  const headers = await newer.keyHeaders();
  const call = async (server: ServerProcess, path: string, data: object) => {
    const answer = await post(server.url + path, { data }, headers);
    expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBe(200);
    return answer.body.result.data;
  };

  // The alert VersionsMixed counts these.
  const builds = await Promise.all(
    [newer, older].map(async ({ url }) => {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      return /^build_info\{(version="[^"]+"(?:,commit="[^"]+")?)/m.exec(metrics)?.[1];
    }),
  );
  expect(builds.every(Boolean)).toBe(true);
  expect(new Set(builds).size).toBe(2);

  const receiver = await startReceiver();
  await call(newer, '/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  await call(newer, PATHS.create, { url: receiver.url, filterTypes: ['document.add'] });
  const { open } = await editorsOf({ url: older.url, keyHeaders: headers });
  const [here, there] = [await open('body', { at: newer }), await open('body')];
  const ids: string[] = [];
  const write = async (writer: number) => {
    for (let round = 0; round < ROUNDS; round++) {
      for (const server of [newer, older]) {
        const documentId = `d-${writer}-${round}-${server === newer ? 'newer' : 'older'}`;
        const place = { organizationId, documentId };
        const documents = { organizationId, documents: [{ documentId }] };
        await call(server, '/v2/organizations/documents/add', documents);
        await call(server, '/v2/crdt/add', { ...place, editorId: 'e', type: 'text', data: 'a' });
        const commentData = [{ from: { userId: 'ada' }, commentText: 'Hi' }];
        const threads = { ...place, commentAnnotations: [{ commentData }] };
        await call(server, '/v2/commentannotations/add', threads);
        ids.push(documentId);
      }
      (writer % 2 === 0 ? here : there).text.insert(0, '.');
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));

  await eventually(async () => {
    expect(here.text.toString()).toBe('.'.repeat(WRITERS * ROUNDS));
    expect(there.text.toString()).toBe(here.text.toString());
    const delivered = receiver.received.map(({ body }) => body);
    expect(ids.filter((id) => !delivered.some((body) => body.includes(`"${id}"`)))).toEqual([]);
  });
  for (const server of [newer, older]) {
    const stored = { organizationId, documentId: ids.at(-1), editorId: 'e' };
    expect(await call(server, '/v2/crdt/get', stored)).toMatchObject([{ data: 'a' }]);
    expect(await server.stop()).toBe(0);
    expect(server.complaints).toEqual([]);
  }
});
