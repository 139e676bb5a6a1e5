import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * `npm run generate:database`: writes Prisma's client, with the parts of its runtime that PostgreSQL
 * needs beside it. The package of the runtime has an engine for each database and asks for the command
 * line, which are 290 MB together: both are development packages.
 */

const ROOT = path.join(import.meta.dirname, '..');
const GENERATED = path.join(ROOT, 'src/platform/database/generated');
const PARTS = [
  'client.mjs',
  'client.d.mts',
  'index-browser.mjs',
  'index-browser.d.mts',
  'query_compiler_fast_bg.postgresql.mjs',
  'query_compiler_fast_bg.postgresql.wasm-base64.mjs',
];
const IMPORTED = /"@prisma\/client\/runtime\/([\w.-]+?)(?:\.mjs)?"/g;

const { resolve } = createRequire(import.meta.url);
rmSync(GENERATED, { recursive: true, force: true });
execFileSync(process.execPath, [resolve('prisma/build/index.js'), 'generate'], {
  cwd: ROOT,
  stdio: 'inherit',
  // The command line downloads an engine that generating does not run, unless it finds a program here.
  env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath },
});
const runtime = path.join(GENERATED, 'runtime');
mkdirSync(runtime);
const published = path.dirname(resolve('@prisma/client/runtime/client'));
for (const part of PARTS) {
  const text = readFileSync(path.join(published, part), 'utf8');
  writeFileSync(path.join(runtime, part), text.replace(/^\/\/# sourceMappingURL=.*$/m, ''));
}
for (const file of globSync(path.join(GENERATED, '**/*.ts'))) {
  const folder = path.relative(path.dirname(file), runtime);
  const prefix = folder.startsWith('.') ? folder : `./${folder}`;
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replaceAll(IMPORTED, `"${prefix}/$1.mjs"`));
}
