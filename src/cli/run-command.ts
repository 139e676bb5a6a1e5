import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { DatabaseError } from 'pg';
import { CollaborationError } from '../client/index.ts';
import { redactSecrets } from '../platform/redact-secrets.ts';
import { reasonOf, StartError } from '../platform/start-error.ts';
import { addBackupCommands } from './backup-commands.ts';
import { progress } from './command.ts';
import { addCreateCommands } from './create-commands.ts';
import { addDatabaseCommands } from './database-commands.ts';
import { addDoctorCommand } from './doctor-command.ts';
import { addKeyCommands } from './key-commands.ts';

/** The exit code of a command that failed, or that found something wrong. */
const FAILED = 1;
/** The exit code when the command line was not understood. */
const MISUSED = 2;

/** Runs the command that these parameters name, and sets the exit code of the process. */
export async function runCommand(parameters: string[]): Promise<void> {
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
  await program.parseAsync(parameters, { from: 'user' }).catch(fail);
}

/** Prints why a command failed, and sets the exit code of the process. */
export function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : MISUSED;
    return;
  }
  progress(messageFor(error) ?? redactSecrets(inspect(error)));
  process.exitCode = FAILED;
}

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
