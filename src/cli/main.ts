#!/usr/bin/env node
import { fail, runCommand } from './run-command.ts';

// Ignored, so that a backup or a restore continues when nobody reads its progress any more.
process.stderr.on('error', () => {});
process.stdout.on('error', fail);
await runCommand(process.argv.slice(2));
