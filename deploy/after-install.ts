import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * The last step of `npm ci`. Development packages build the pages of the console and of the documentation,
 * which a running server needs. An installation without them gets it from one that has them.
 */

const ROOT = path.join(import.meta.dirname, '..');
const BUILT = ['dist/console/index.html', 'dist/site/docs.html'];

const run = (command: string, ...parameters: string[]) =>
  execFileSync(command, parameters, { cwd: ROOT, stdio: 'inherit' });
const missing = BUILT.filter((file) => !existsSync(path.join(ROOT, file)));

if (existsSync(path.join(ROOT, 'node_modules/vite'))) {
  run('npm', 'run', '--silent', 'build');
} else if (missing.length === 0) {
  run('deploy/trim-modules.sh', 'node_modules');
} else {
  process.stderr.write(
    `Not built: ${missing.join(', ')}. Building takes development packages, which were left out.
Run \`npm ci\` with them, or copy these folders from an installation that has them, and repeat this.
`,
  );
  process.exitCode = 1;
}
