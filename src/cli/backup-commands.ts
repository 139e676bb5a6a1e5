import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { CollaborationError } from '../client/index.ts';
import { readConfig } from '../config.ts';
import { StartError } from '../platform/start-error.ts';
import type { Fingerprint } from './backup/fingerprint.ts';
import { restoreBackup } from './backup/restore-backup.ts';
import { writeBackup } from './backup/write-backup.ts';
import { progress, setAction } from './command.ts';
import { addKeyOptions, clientOf, type KeyOptions } from './target.ts';
import { withExclusiveDatabase, withExistingDatabase } from './with-database.ts';
import { refuseToReplace } from './write-atomically.ts';

interface RestoreOptions extends KeyOptions {
  quiet?: boolean;
  to?: string;
  organization?: string;
  document?: string;
  editor?: string;
}

export function addBackupCommands(program: Command): void {
  const backupCommand = program
    .command('backup')
    .description('Write everything in the database to a file; the service may be running')
    .argument('<file>', 'the backup to write, such as collaboration.backup.gz')
    .option('--force', 'replace the file if it exists')
    .addHelpText('after', '\nSECRET_KEY is not in the backup: keep it elsewhere.');
  setAction(backupCommand, backup);
  const restoreCommand = program
    .command('restore')
    .description(
      'Restore a backup into an empty database and compare every row; with --to, restore one document to an earlier time',
    )
    .argument('[file]', 'a file that `backup` has written')
    .option('--quiet', 'drop pending webhooks and emails, and turn both off for all keys')
    .option('--to <time>', 'a time within the history that is kept, such as 2026-11-26T09:30:00Z')
    .option('--organization <id>', 'the organization of the document')
    .option('--document <id>', 'the document whose live content is restored')
    .option('--editor <id>', 'only this editor (default: all editors of the document)')
    .addHelpText(
      'after',
      '\nTo start on a restored backup, the service needs the SECRET_KEY that it had when the backup was made.\nWith --to, the service must be running: it makes the change, and open editors receive it.',
    );
  setAction(addKeyOptions(restoreCommand), (file: string | undefined, options: RestoreOptions) =>
    options.to === undefined ? restore(file, options) : restoreMoment(file, options.to, options),
  );
}

async function backup(file: string, options: { force?: boolean }) {
  refuseToReplace(file, options);
  const onTable = (table: string) => progress(`Writing ${table} …`);
  const tables = await withExistingDatabase(readConfig(), (url) => writeBackup(url, file, onTable));
  return outcome('Written', file, tables);
}

async function restore(file: string | undefined, { quiet = false, ...target }: RestoreOptions) {
  if (file === undefined) throw new StartError('Give a backup file, or --to.');
  if (target.organization ?? target.document ?? target.editor) {
    throw new StartError('Only --to restores one document; a file restores everything.');
  }
  if (!existsSync(file)) throw new StartError(`There is no file ${file}.`);
  const onTable = (table: string) => progress(`Restoring ${table} …`);
  const onLeftOut = (table: string) =>
    progress(`Leaving out ${table}, which is not a table of this service.`);
  const tables = await withExclusiveDatabase(readConfig(), (url) =>
    restoreBackup(url, file, { onTable, onLeftOut, quiet }),
  );
  return outcome('Restored', file, tables);
}

function outcome(act: string, file: string, tables: Record<string, Fingerprint>) {
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  const count = Object.keys(tables).length;
  const text = `${act} and verified: ${rows} rows in ${count} tables (${file}).`;
  return { result: { file, rows, tables }, text };
}

/** Restores the editors of a document to an earlier time. A running server does this, so that open editors receive the change. */
async function restoreMoment(file: string | undefined, to: string, options: RestoreOptions) {
  if (file !== undefined)
    throw new StartError('--to restores from the history of the server: do not give a file.');
  const { organization: organizationId, document: documentId, editor } = options;
  const at = Date.parse(to);
  if (Number.isNaN(at)) throw new StartError(`${to} is not a time such as 2026-11-26T09:30:00Z.`);
  if (!organizationId || !documentId) {
    throw new StartError('--to restores one document: give --organization and --document.');
  }
  const { crdt } = clientOf(options);
  const documentRef = { organizationId, documentId };
  const editorIds = editor ? [editor] : (await crdt.get(documentRef)).map(({ id }) => id);
  if (editorIds.length === 0) throw new StartError('The document has no live content.');
  const editors: Array<{ editorId: string; problem?: string }> = [];
  for (const editorId of editorIds) {
    try {
      await crdt.versions.restore({ ...documentRef, editorId, at });
      editors.push({ editorId });
    } catch (error) {
      if (!(error instanceof CollaborationError)) throw error;
      editors.push({ editorId, problem: error.message });
    }
  }
  const done = `restored to ${new Date(at).toISOString()}; the previous content is now a version`;
  const lines = editors.map(({ editorId, problem }) => `${editorId}: ${problem ?? done}`);
  const isWrong = editors.some(({ problem }) => problem !== undefined);
  return { result: { at, editors }, text: lines.join('\n'), isWrong };
}
