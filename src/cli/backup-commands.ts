import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { StartError } from '../platform/start-error.ts';
import type { RowFacts } from './backup/lines.ts';
import { restoreBackup } from './backup/restore-backup.ts';
import { writeBackup } from './backup/write-backup.ts';
import { printResult, progress } from './report.ts';
import { type MomentOptions, restoreMoment } from './restore-moment.ts';
import { withKeyOptions } from './target.ts';
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
  withKeyOptions(
    program
      .command('restore')
      .description(
        'Restore a backup into an empty database, and compare every row; with --to, one document to a moment',
      )
      .argument('[file]', 'a file that backup has written')
      .option('--quiet', 'drop webhooks and mails that wait, and turn both off for all keys')
      .option('--to <time>', 'a moment of the last days, such as 2026-11-26T09:30:00Z')
      .option('--organization <id>', 'the organization of the document')
      .option('--document <id>', 'the document whose live content is restored')
      .option('--editor <id>', 'only this editor; without it, all of the document'),
  )
    .addHelpText(
      'after',
      '\nThe service starts on a restored backup with the SECRET_KEY that the backup was made under.\nWith --to, the service runs: it makes the change, and open editors receive it.',
    )
    .action((file: string | undefined, options: Options & MomentOptions) =>
      options.to === undefined ? restore(file, options) : restoreMoment(options),
    );
}

async function backup(file: string, options: Options): Promise<void> {
  if (existsSync(file) && !options.force) {
    throw new StartError(`${file} exists. Give another name, or --force to replace it.`);
  }
  const onTable = (table: string) => progress(`Writing ${table} …`);
  const tables = await withDatabaseUrl(readConfig(), (url) => writeBackup(url, file, onTable));
  report('Written', file, tables, options);
}

async function restore(file: string | undefined, options: Options): Promise<void> {
  if (file === undefined) throw new StartError('Give the file of a backup, or --to.');
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
