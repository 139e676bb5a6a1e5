import { execFile } from 'node:child_process';
import { cp, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import type { Measurement } from '../harness/benchmark.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const INSTALLED_FROM = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'deploy',
  'dist/console',
  'dist/site',
];
const MEGABYTE = 1_000_000;
const GOAL = 350;

/** The size of `npm ci --omit=dev`, which needs a registry of packages. */
const installSize: Measurement = {
  name: 'install-size',
  async measure() {
    const folder = await makeTemporaryFolder('bench-install-');
    try {
      for (const name of INSTALLED_FROM) {
        await cp(path.join(ROOT, name), path.join(folder, name), { recursive: true });
      }
      await promisify(execFile)('npm', ['ci', '--omit=dev'], { cwd: folder });
      const files = await filesIn(path.join(folder, 'node_modules'));
      const megabytes = files.reduce((sum, { bytes }) => sum + bytes, 0) / MEGABYTE;
      const packages = files.filter(({ name }) => isPackage(name)).length;
      return [
        {
          label: 'dependencies',
          value: `${Math.round(megabytes)} MB, ${packages} packages`,
          target: `<= ${GOAL} MB`,
          met: megabytes <= GOAL,
        },
      ];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

interface Installed {
  name: string;
  bytes: number;
}

/** Every file once, although some have several names (hard links). */
async function filesIn(folder: string): Promise<Installed[]> {
  const seen = new Set<number>();
  const installed: Installed[] = [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const name = path.join(entry.parentPath, entry.name);
    const { ino, size } = await stat(name);
    if (seen.has(ino)) continue;
    seen.add(ino);
    installed.push({ name, bytes: size });
  }
  return installed;
}

const isPackage = (file: string): boolean =>
  /node_modules\/(@[^/]+\/)?[^@/]+\/package\.json$/.test(file);

export default installSize;
