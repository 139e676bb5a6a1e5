import { isMainThread } from 'node:worker_threads';

const BEAT_MS = 2;

/**
 * Loaded into a server process: answers its parent with the longest time that the event loop was
 * blocked since the last question. Counts processor time of the main thread, which excludes other
 * work on the machine.
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
