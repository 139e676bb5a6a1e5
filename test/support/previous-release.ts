import { execFile } from 'node:child_process';
import { readFile, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { whenFileEnds } from './when-file-ends.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);

/**
 * Writes the code of the last release (prisma/previous-release: its tag and commit) into a folder, which is removed
 * at the end of the file. It runs with the packages of this release. Releases before 0.3.0 need Prisma's client,
 * for which `prisma` and `@prisma/client` stay among the development packages.
 *
 * @returns the folder; undefined where the history does not reach back so far
 */
export async function previousRelease(): Promise<string | undefined> {
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
  const folder = await makeTemporaryFolder('test-release-');
  whenFileEnds(() => rm(folder, { recursive: true, force: true }));
  const archive = path.join(folder, 'release.tar');
  await git(
    'archive',
    '-o',
    archive,
    commit,
    'src',
    'prisma',
    'docs',
    'package.json',
    'prisma.config.ts',
  );
  await run('tar', ['-xf', archive], { cwd: folder });
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  await run('npm', ['run', '-s', 'generate:database'], { cwd: folder });
  return folder;
}
