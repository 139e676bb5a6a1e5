import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DatabaseError } from 'pg';
import { createApp } from './app.ts';
import { readConfig } from './config.ts';
import { redactSecrets } from './platform/redact-secrets.ts';
import { StartError } from './platform/start-error.ts';

/** How long an orderly stop may take after SHUTDOWN_DELAY_SECONDS, before the process exits. */
const STOP_DEADLINE_MS = 10_000;

async function main(): Promise<void> {
  const config = readConfig();
  const building = createApp(config);
  // A signal may arrive during the start: `stop` waits until all parts are built, and then stops them.
  const stop = async () => {
    setTimeout(giveUp, config.shutdownDelayMs + STOP_DEADLINE_MS).unref();
    const app = await building;
    await app.stop();
    process.exit(0);
  };
  let isStopping = false;
  // After SIGHUP the terminal is closed, so failures to write to it are ignored.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    // Only the first signal counts. The terminal sends one, and npm may pass on another.
    process.on(signal, () => {
      if (!isStopping) void stop().catch(fail);
      isStopping = true;
    });
  }
  const app = await building;
  releaseMemory();
  await app.start();
}

/** Collects garbage once after the start, which frees 25 MB that V8 would otherwise keep. */
function releaseMemory(): void {
  setFlagsFromString('--expose-gc');
  const collectGarbage: NodeJS.GCFunction = runInNewContext('gc');
  collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

function giveUp(): void {
  const seconds = STOP_DEADLINE_MS / 1000;
  console.error(
    `The process exits before its work is finished, since stopping took longer than ${seconds} seconds.`,
  );
  process.exit(1);
}

/** A problem that the operator can correct is printed as a sentence, without a stack. */
function fail(error: unknown): void {
  const isExplained = error instanceof StartError || error instanceof DatabaseError;
  console.error(isExplained ? error.message : redactSecrets(inspect(error)));
  process.exit(1);
}

main().catch(fail);
