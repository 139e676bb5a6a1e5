import { isMainThread } from 'node:worker_threads';

const BEAT_MS = 2;

/**
 * Loaded before a server that is a process of its own: tells its parent, when asked, how long the
 * longest turn of its main thread was since it was last asked. Counted in time of the processor, so
 * that what else runs on the machine does not count.
 */
if (isMainThread) {
  let longest = 0;
  let last = process.threadCpuUsage();
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    longest = Math.max(longest, (user + system) / 1_000);
  }, BEAT_MS).unref();
  process.on('message', () => {
    process.send?.(longest);
    longest = 0;
  });
  process.channel?.unref();
}
