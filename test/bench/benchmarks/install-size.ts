import { execFile } from 'node:child_process';
import { cp, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { Measurement } from '../harness/benchmark.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const FILES = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'deploy',
  'dist/console',
  'dist/site',
];
const GOAL = 350;
const PACKAGE = /node_modules\/(@[^/]+\/)?[^@/]+\/package\.json$/;

/** The size of `npm ci --omit=dev`, which needs a registry of packages. */
export const installSize: Measurement = {
  name: 'install-size',
  async measure() {
    const cwd = await temporaryFolder('bench-install-');
    for (const name of FILES) {
      await cp(path.join(ROOT, name), path.join(cwd, name), { recursive: true });
    }
    await promisify(execFile)('npm', ['ci', '--omit=dev'], { cwd });
    // Every file counts once, although some have several names (hard links).
    const sizes = new Map<number, number>();
    let packages = 0;
    const folder = path.join(cwd, 'node_modules');
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = path.join(entry.parentPath, entry.name);
      const { ino, size } = await stat(file);
      sizes.set(ino, size);
      if (PACKAGE.test(file)) packages += 1;
    }
    const megabytes = [...sizes.values()].reduce((sum, size) => sum + size, 0) / 1_000_000;
    return [
      {
        label: 'dependencies',
        value: `${Math.round(megabytes)} MB, ${packages} packages`,
        target: `<= ${GOAL} MB`,
        met: megabytes <= GOAL,
      },
    ];
  },
};
