#!/usr/bin/env node
import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { CollaborationError } from '../client/index.ts';
import { redactSecrets } from '../platform/redact-secrets.ts';
import { StartError } from '../platform/start-error.ts';
import { addBackupCommands } from './backup-commands.ts';
import { addCreateCommands } from './create-commands.ts';
import { addDatabaseCommands } from './database-commands.ts';
import { addDoctorCommand } from './doctor-command.ts';
import { addKeyCommands } from './key-commands.ts';

/** Exit codes: 0 done, 1 failed or something is wrong, 2 the command line was not understood. */
const FAILED = 1;
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

/** The failed call of the system behind an error, such as one to a file or to the network. */
function systemErrorIn(error: unknown): Error | undefined {
  const errors = error instanceof Error ? [error, error.cause] : [];
  return errors.find((each): each is Error => each instanceof Error && 'syscall' in each);
}

/** A problem that the operator can mend is printed as a sentence, without a stack. */
function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : MISUSED;
    return;
  }
  const isOwn = error instanceof StartError || error instanceof CollaborationError;
  const plain = isOwn ? error : systemErrorIn(error);
  console.error(plain ? plain.message : redactSecrets(inspect(error)));
  process.exitCode = FAILED;
}

await program.parseAsync().catch(fail);
