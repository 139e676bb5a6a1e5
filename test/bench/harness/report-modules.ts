/**
 * Preloaded into a server (`--import`): on SIGUSR2 it writes which modules were loaded, with the size
 * of their sources in bytes.
 */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const sizes: Record<string, number> = {};

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    sizes[url] = loaded.source ? Buffer.byteLength(loaded.source as string) : 0;
    return loaded;
  },
});

process.on('SIGUSR2', () => {
  writeFileSync(process.env.BENCH_MODULES_FILE ?? '', JSON.stringify(sizes));
});
