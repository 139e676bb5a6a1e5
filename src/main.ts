import { createApp } from './app.ts';
import { readConfig } from './config.ts';
import { StartError } from './platform/start-error.ts';

/** After this, an orderly stop has failed and the process ends anyway. */
const STOP_DEADLINE_MS = 10_000;

async function main(): Promise<void> {
  const app = await createApp(readConfig());
  const stop = () => {
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref();
    app.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  await app.start();
}

main().catch((error: unknown) => {
  // What the operator can mend is said in a sentence; a stack would only hide it.
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
});
