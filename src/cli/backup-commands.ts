import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { StartError } from '../platform/start-error.ts';
import type { RowFacts } from './backup/lines.ts';
import { restoreBackup } from './backup/restore-backup.ts';
import { writeBackup } from './backup/write-backup.ts';
import { printResult, progress } from './report.ts';
import { withDatabaseUrl, withOwnDatabase } from './with-database.ts';

interface Options {
  json?: boolean;
  force?: boolean;
  quiet?: boolean;
}

export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('Write everything in the database to a file, while the service may run')
    .argument('<file>', 'the backup to write, such as collaboration.backup.gz')
    .option('--force', 'replace a file of that name')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nSECRET_KEY is not in the backup: keep it elsewhere.')
    .action(backup);
  program
    .command('restore')
    .description('Restore a backup into an empty database, and compare every row with the backup')
    .argument('<file>', 'a file that backup has written')
    .option('--quiet', 'drop webhooks and mails that wait, and turn both off for all keys')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nThe service starts on it with the SECRET_KEY that the backup was made under.',
    )
    .action(restore);
}

async function backup(file: string, options: Options): Promise<void> {
  if (existsSync(file) && !options.force) {
    throw new StartError(`${file} exists. Give another name, or --force to replace it.`);
  }
  const onTable = (table: string) => progress(`Writing ${table} …`);
  const tables = await withDatabaseUrl(readConfig(), (url) => writeBackup(url, file, onTable));
  report('Written', file, tables, options);
}

async function restore(file: string, options: Options): Promise<void> {
  const onTable = (table: string) => progress(`Restoring ${table} …`);
  const tables = await withOwnDatabase(readConfig(), (url) =>
    restoreBackup(url, file, { onTable, quiet: options.quiet ?? false }),
  );
  report('Restored', file, tables, options);
}

function report(act: string, file: string, tables: Record<string, RowFacts>, options: Options) {
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  const count = Object.keys(tables).length;
  const text = `${act} and verified: ${rows} rows in ${count} tables (${file}).`;
  printResult({ file, rows, tables }, options, text);
}
