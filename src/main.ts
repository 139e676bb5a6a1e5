import { inspect } from 'node:util';
import { createApp } from './app.ts';
import { readConfig } from './config.ts';
import { cutSecrets } from './platform/cut-secrets.ts';
import { StartError } from './platform/start-error.ts';

/** After this, an orderly stop has failed and the process ends anyway. */
const STOP_DEADLINE_MS = 10_000;

async function main(): Promise<void> {
  const building = createApp(readConfig());
  // A signal may come while parts are still being built; they are stopped once they stand.
  const stop = async () => {
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref();
    const app = await building;
    await app.stop();
    process.exit(0);
  };
  // SIGHUP is a terminal that was closed. What is written to it from then on is lost, no failure.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => stop().catch(fail));
  }
  const app = await building;
  await app.start();
}

/** What the operator can mend is said in a sentence; a stack would only hide it. */
function fail(error: unknown): void {
  console.error(error instanceof StartError ? error.message : cutSecrets(inspect(error)));
  process.exit(1);
}

main().catch(fail);
