import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { compareMigrations, migrate } from '../platform/database/migrate.ts';
import { createJobTables } from '../platform/jobs/job-tables.ts';
import { printResult, progress } from './report.ts';
import { rotateSecrets } from './rotate-secrets.ts';
import { withClient, withDatabaseUrl } from './with-database.ts';

export function addDatabaseCommands(program: Command): void {
  program
    .command('migrate')
    .description('Bring the database to the schema of this version, before its processes start')
    .option('--check', 'only list what is missing; exits with 1 if something is')
    .option('--json', 'print the result as JSON')
    .action(migrateDatabase);
  program
    .command('secrets:rotate')
    .description('Encrypt every stored secret with the current SECRET_KEY')
    .option('--accept-lost', 'give up what no key of PREVIOUS_SECRET_KEYS opens')
    .option('--json', 'print the result as JSON')
    .action(rotate);
}

async function migrateDatabase({ check, json }: { check?: boolean; json?: boolean }) {
  const migrations = await withDatabaseUrl(readConfig(), async (url) => {
    const { missing: pending } = await compareMigrations(url);
    if (!check) {
      if (pending.length > 0) progress(`Applying ${pending.length} migrations …`);
      await migrate(url);
      await withClient(url, createJobTables);
    }
    return pending;
  });
  if (check && migrations.length > 0) process.exitCode = 1;
  const none = 'The schema is that of this version.';
  const list = `${check ? 'Missing' : 'Applied'}:\n  ${migrations.join('\n  ')}`;
  printResult({ migrations, applied: !check }, { json }, migrations.length > 0 ? list : none);
}

async function rotate({ acceptLost, json }: { acceptLost?: boolean; json?: boolean }) {
  const print = (line: string) => process[json ? 'stderr' : 'stdout'].write(`${line}\n`);
  const resealed = await rotateSecrets(readConfig(), { ...(acceptLost && { acceptLost }), print });
  if (json) printResult({ resealed }, { json }, '');
}
