import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');
const { version, gitHead } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
  gitHead?: string;
};

export const VERSION = version;

/**
 * The full hash of this software's commit; `unknown` if it cannot be found. Images contain no
 * repository, so their build writes the hash into package.json, as npm does when it publishes.
 */
export const COMMIT = gitHead || headOfRepository() || 'unknown';

function headOfRepository(): string {
  try {
    // The folder is named, because git would otherwise also find a repository that contains this one.
    return execFileSync('git', ['--git-dir', path.join(ROOT, '.git'), 'rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}
