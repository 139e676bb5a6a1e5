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
 * The commit of this software, in full; `unknown` if nothing names it. Images have no repository, so
 * their build writes it into package.json, as npm does when it publishes.
 */
export const COMMIT = gitHead || headOfRepository() || 'unknown';

function headOfRepository(): string {
  try {
    // Names the folder, since another repository may contain this installation.
    return execFileSync('git', ['--git-dir', path.join(ROOT, '.git'), 'rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}
