#!/usr/bin/env node
import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { DatabaseError } from 'pg';
import { CollaborationError } from '../client/index.ts';
import { redactSecrets } from '../platform/redact-secrets.ts';
import { reasonOf, StartError } from '../platform/start-error.ts';
import { addBackupCommands } from './backup-commands.ts';
import { addCreateCommands } from './create-commands.ts';
import { addDatabaseCommands } from './database-commands.ts';
import { addDoctorCommand } from './doctor-command.ts';
import { addKeyCommands } from './key-commands.ts';

/** The exit code of a command that failed, or that found something wrong. */
const FAILED = 1;
/** The exit code when the command line was not understood. */
const MISUSED = 2;

const program = new Command('collaboration')
  .description(
    'Operates the collaboration backend. Settings come from the environment, as for npm start.',
  )
  .showHelpAfterError()
  // Options after the name of a command belong to that command, such as `import velt --url`.
  .enablePositionalOptions()
  .exitOverride();
addCreateCommands(program);
addDatabaseCommands(program);
addBackupCommands(program);
addKeyCommands(program);
addDoctorCommand(program);

/** Returns the message about a problem that the operator can correct; undefined for a defect of this program. */
function messageFor(error: unknown): string | undefined {
  if (error instanceof StartError) return error.message;
  if (error instanceof CollaborationError) {
    return error.cause ? `${error.message} (${reasonOf(error.cause)})` : error.message;
  }
  // Failures of files, the network and the database are not defects of this program.
  const errors = error instanceof Error ? [error, error.cause] : [];
  const isExternal = (each: unknown) =>
    each instanceof DatabaseError || (each instanceof Error && 'syscall' in each);
  return errors.filter(isExternal).map(reasonOf)[0];
}

function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : MISUSED;
    return;
  }
  console.error(messageFor(error) ?? redactSecrets(inspect(error)));
  process.exitCode = FAILED;
}

// Ignored, so that a backup or a restore continues when nobody reads its progress any more.
process.stderr.on('error', () => {});
process.stdout.on('error', fail);
await program.parseAsync().catch(fail);
