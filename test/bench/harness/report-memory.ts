/**
 * Preloaded into a server (`--import`): on SIGUSR2 it collects garbage and writes the number of
 * used bytes.
 */
import { writeFileSync } from 'node:fs';

process.on('SIGUSR2', () => {
  for (let round = 0; round < 3; round++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(process.env.BENCH_MEMORY_FILE ?? '', JSON.stringify(heapUsed + external));
});
