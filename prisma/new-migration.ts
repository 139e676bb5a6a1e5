import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '../src/platform/database/embedded-postgres.ts';
import { MIGRATIONS_FOLDER } from '../src/platform/database/migrate.ts';
import { withSchemaEngine } from './schema-engine.ts';

/**
 * `npm run migration:new -- <name>`: writes the SQL that changes the last committed schema to the
 * current files in prisma/schema. Read it before you commit it, and add statements that Prisma cannot
 * express, such as partial indexes.
 */
async function writeMigration(name: string): Promise<void> {
  const script = withBytewiseIds(await diff());
  const stamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const folder = path.join(MIGRATIONS_FOLDER, `${stamp}_${name}`);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'migration.sql'), script);
  process.stdout.write(`${folder}\n`);
}

interface SchemaFile {
  path: string;
  content: string;
}

/** Compares the schemas on an empty server, since the engine needs a connection even for that. */
async function diff(): Promise<string> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'new-migration-'));
  await chmod(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir, log: console });
  try {
    return await diffOn(postgres.url);
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function diffOn(databaseUrl: string): Promise<string> {
  const before = committedSchema();
  const after = await currentSchema();
  const { stdout } = await withSchemaEngine(databaseUrl, (engine) =>
    engine.diff({
      from: before.length === 0 ? { tag: 'empty' } : { tag: 'schemaDatamodel', files: before },
      to: { tag: 'schemaDatamodel', files: after },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    }),
  );
  return stdout ?? '';
}

function committedSchema(): SchemaFile[] {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' });
  const files = git('ls-tree', '--name-only', 'HEAD', 'prisma/schema/').split('\n');
  return files
    .filter((file) => file !== '')
    .map((file) => ({ path: file, content: git('show', `HEAD:${file}`) }));
}

async function currentSchema(): Promise<SchemaFile[]> {
  const folder = path.join(import.meta.dirname, 'schema');
  const files = await readdir(folder);
  return Promise.all(
    files.map(async (file) => ({
      path: path.join(folder, file),
      content: await readFile(path.join(folder, file), 'utf8'),
    })),
  );
}

/**
 * Ids are compared byte by byte: faster than by a language's rules, and the same order on every
 * server, which page tokens and lock orders rely on. Prisma's schema cannot express it.
 */
const withBytewiseIds = (script: string) =>
  script.replaceAll(/("(?:id|\w+_id|key|path)" TEXT)/g, '$1 COLLATE "C"');

const name = process.argv[2];
if (!name || !/^[a-z0-9_]+$/.test(name)) throw new Error('Usage: npm run migration:new -- <name>');
await writeMigration(name);
