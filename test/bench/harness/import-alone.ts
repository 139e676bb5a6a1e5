/** Imports one module and prints what that took: milliseconds, and bytes of resident memory. */
const { rss } = process.memoryUsage();
const startedAt = performance.now();
await import(process.argv[2] ?? '');
const elapsedMs = performance.now() - startedAt;
globalThis.gc?.();
console.log(JSON.stringify({ elapsedMs, bytes: process.memoryUsage().rss - rss }));
