import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Writes the exports of the built client package, as types without comments, to
 * `src/client/api-report.txt`, so that reviews show changes to them: `npm run client:report`. With
 * `--check`, only compares the file. The contract's types are left out: they are in `src/api/contract.ts`.
 */

const ESM = path.join(import.meta.dirname, '../dist/client/esm');
const REPORT = path.join(import.meta.dirname, 'client/api-report.txt');
const manifest = JSON.parse(readFileSync(path.join(ESM, '../package.json'), 'utf8'));

interface Entry {
  types?: string;
}

/** Returns these declaration files and all that they import, sorted by name. */
function reachableFiles(files: string[], seen = new Set<string>()): string[] {
  for (const file of files) {
    if (seen.has(file) || file.includes('/api/')) continue;
    seen.add(file);
    const imports = readFileSync(file, 'utf8').matchAll(/from ['"](\.[^'"]+)\.(?:ts|tsx|js)['"]/g);
    for (const [, name = ''] of imports) {
      reachableFiles([path.join(path.dirname(file), `${name}.d.ts`)], seen);
    }
  }
  return [...seen].sort();
}

const signatures = (file: string): string =>
  readFileSync(file, 'utf8')
    .replaceAll(/\/\*\*.*?\*\//gs, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('//#'))
    .join('\n');

const entries = Object.values<Entry>(manifest.exports).flatMap(({ types }) => types ?? []);
const files = reachableFiles(entries.map((types) => path.join(ESM, '..', types)));
const report = files
  .map((file) => `// ${path.relative(ESM, file)}\n${signatures(file)}\n`)
  .join('\n');

if (!process.argv.includes('--check')) writeFileSync(REPORT, report);
else if (readFileSync(REPORT, 'utf8') !== report) {
  console.error(
    'The types of the client package have changed. Run `npm run client:report`, and commit the result.',
  );
  process.exitCode = 1;
}
