import { describe, expect, it, vi } from 'vitest';
import { KeyedSemaphore } from '../../../src/platform/limits/keyed-semaphore.ts';

const LIMITS = { perKey: 1, maxWaiting: 2, maxWaitMs: 10_000 };

/** Returns whether a promise is still pending once everything that is due has run. */
const isPending = async (promise: Promise<unknown>) => {
  const pending = Symbol('pending');
  const tick = new Promise((resolve) => setImmediate(resolve, pending));
  return (await Promise.race([promise.catch(() => undefined), tick])) === pending;
};

describe('the permits of a keyed semaphore', () => {
  it('are given to waiting callers in the order of arrival, of whom only so many may wait', async () => {
    const semaphore = new KeyedSemaphore(LIMITS);
    const release = await semaphore.acquire('acme');
    const [second, third] = [semaphore.acquire('acme'), semaphore.acquire('acme')];
    expect(await isPending(second)).toBe(true);
    await expect(semaphore.acquire('acme')).rejects.toMatchObject({ refusal: 'full' });
    release();
    const releaseSecond = await second;
    expect(await isPending(third)).toBe(true);
    releaseSecond();
    (await third)();
    (await semaphore.acquire('acme'))();
  });

  it('go to the next in the queue when a caller waited too long, or has left', async () => {
    const semaphore = new KeyedSemaphore({ ...LIMITS, maxWaitMs: 20 });
    const caller = new AbortController();
    const release = await semaphore.acquire('acme');
    await expect(semaphore.acquire('acme')).rejects.toMatchObject({ refusal: 'waitedTooLong' });
    const left = semaphore.acquire('acme', caller.signal);
    const next = semaphore.acquire('acme');
    caller.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    release();
    expect(await isPending(next)).toBe(false);
    await expect(semaphore.acquire('acme', caller.signal)).rejects.toThrow('gone');
  });

  it('are refused to waiting and new callers once the semaphore stops', async () => {
    const counts: number[] = [];
    const semaphore = new KeyedSemaphore({ ...LIMITS, onWaiting: (count) => counts.push(count) });
    await semaphore.acquire('acme');
    const waiting = semaphore.acquire('acme');
    semaphore.stop();
    await expect(waiting).rejects.toMatchObject({ refusal: 'stopping' });
    await expect(semaphore.acquire('umbrella')).rejects.toMatchObject({ refusal: 'stopping' });
    expect(counts).toEqual([1, 0]);
    expect(semaphore.stopped.aborted).toBe(false);
  });

  it('of a shared total go to the queues in turn, and stay available to others when one key has reached its limit', async () => {
    const semaphore = new KeyedSemaphore({ ...LIMITS, perKey: 2, total: 3, maxWaiting: 9 });
    const held = [await semaphore.acquire('acme'), await semaphore.acquire('acme')];
    const order: string[] = [];
    const acquire = async (key: string) => {
      const release = await semaphore.acquire(key);
      order.push(key);
      return release;
    };
    const waiting = ['acme', 'acme', 'acme'].map(acquire);
    held.push(await acquire('umbrella'));
    waiting.push(...['umbrella', 'initech'].map(acquire));
    for (const release of held) release();
    for (const place of [0, 3, 4, 1, 2]) (await waiting[place])?.();
    expect(order).toEqual(['umbrella', 'acme', 'umbrella', 'initech', 'acme', 'acme']);
    const four = ['acme', 'acme', 'umbrella', 'umbrella'].map((key) => semaphore.acquire(key));
    expect(await Promise.all(four.map(isPending))).toEqual([false, false, false, true]);
  });

  it('are fewer for a greedy key', async () => {
    const greedy = new Set<string>();
    const isGreedy = (key: string) => greedy.has(key);
    const semaphore = new KeyedSemaphore({ ...LIMITS, perKey: 3, perGreedyKey: 1, isGreedy });
    const held = [await semaphore.acquire('acme'), await semaphore.acquire('acme')];
    greedy.add('acme');
    const third = semaphore.acquire('acme');
    held.pop()?.();
    expect(await isPending(third)).toBe(true);
    expect(await isPending(semaphore.acquire('umbrella'))).toBe(false);
    expect(await isPending(semaphore.acquire('umbrella'))).toBe(false);
    held.pop()?.();
    expect(await isPending(third)).toBe(false);
    expect(await isPending(semaphore.acquire('acme'))).toBe(true);
  });

  it('of a greedy key rest for as long as they were held', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const isGreedy = (key: string) => key === 'acme';
    const semaphore = new KeyedSemaphore({ ...LIMITS, greedyKeysRest: true, isGreedy });
    const hold = async (key: string) => {
      const release = await semaphore.acquire(key);
      vi.advanceTimersByTime(20);
      release();
    };
    await hold('umbrella');
    expect(await isPending(semaphore.acquire('umbrella'))).toBe(false);
    await hold('acme');
    const next = semaphore.acquire('acme');
    vi.advanceTimersByTime(19);
    expect(await isPending(next)).toBe(true);
    vi.advanceTimersByTime(1);
    expect(await isPending(next)).toBe(false);
  });
});
