import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { withClient } from '../platform/database/hosts.ts';
import {
  compareMigrations,
  migrate,
  readMigrations,
  requireKnownSchema,
} from '../platform/database/migrate.ts';
import { createJobTables } from '../platform/jobs/job-tables.ts';
import { progress, setAction } from './command.ts';
import { rotateSecrets } from './rotate-secrets.ts';
import { withDatabaseUrl, withExistingDatabase } from './with-database.ts';

export function addDatabaseCommands(program: Command): void {
  const migrateCommand = program
    .command('migrate')
    .description('Migrate the database to the schema of this version, before its processes start')
    .option('--check', 'only list the missing migrations; exits with 1 if there are any');
  setAction(migrateCommand, migrateDatabase);
  const rotateCommand = program
    .command('secrets:rotate')
    .description('Encrypt every stored secret with the current SECRET_KEY')
    .option('--accept-lost', 'give up the secrets that no key in PREVIOUS_SECRET_KEYS decrypts');
  setAction(rotateCommand, rotate);
}

async function migrateDatabase({ check = false }: { check?: boolean }) {
  const withDatabase = check ? withExistingDatabase : withDatabaseUrl;
  const migrations = await withDatabase(readConfig(), async (url) => {
    const { missing: pending } = await withClient(url, async (client) => {
      const knownMigrations = await readMigrations();
      await requireKnownSchema(client, knownMigrations);
      return compareMigrations(client, knownMigrations);
    });
    if (!check) {
      if (pending.length > 0) progress(`Applying migrations (${pending.length}) …`);
      await migrate(url);
      await withClient(url, createJobTables);
    }
    return pending;
  });
  const hasMigrations = migrations.length > 0;
  const list = `${check ? 'Missing' : 'Applied'}:\n  ${migrations.join('\n  ')}`;
  const text = hasMigrations ? list : 'The schema is up to date.';
  return { result: { migrations, applied: !check }, text, isWrong: check && hasMigrations };
}

async function rotate({ acceptLost, json }: { acceptLost?: boolean; json?: boolean }) {
  const print = (line: string) => process[json ? 'stderr' : 'stdout'].write(`${line}\n`);
  const { reencrypted, text } = await rotateSecrets(readConfig(), { acceptLost, print });
  if (json) progress(text);
  return { result: { resealed: reencrypted }, text };
}
