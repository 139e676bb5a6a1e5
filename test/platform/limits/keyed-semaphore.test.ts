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
  it('are given to waiting callers in the order of arrival', async () => {
    const semaphore = new KeyedSemaphore(LIMITS);
    const release = await semaphore.acquire('acme');
    const [second, third] = [semaphore.acquire('acme'), semaphore.acquire('acme')];
    expect(await isPending(second)).toBe(true);
    release();
    const releaseSecond = await second;
    expect(await isPending(third)).toBe(true);
    releaseSecond();
    (await third)();
    (await semaphore.acquire('acme'))();
  });

  it('are refused to a caller that waited too long, and go to the next in the queue', async () => {
    const semaphore = new KeyedSemaphore({ ...LIMITS, maxWaitMs: 20 });
    const release = await semaphore.acquire('acme');
    await expect(semaphore.acquire('acme')).rejects.toMatchObject({ refusal: 'waitedTooLong' });
    const next = semaphore.acquire('acme');
    release();
    expect(await isPending(next)).toBe(false);
  });

  it('skip a caller that has left the queue', async () => {
    const semaphore = new KeyedSemaphore(LIMITS);
    const caller = new AbortController();
    const release = await semaphore.acquire('acme');
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

  it('of a shared total go to the queues in turn', async () => {
    const semaphore = new KeyedSemaphore({ ...LIMITS, perKey: 2, total: 2, maxWaiting: 9 });
    const held = [await semaphore.acquire('acme'), await semaphore.acquire('acme')];
    const order: string[] = [];
    const acquire = async (key: string) => {
      const release = await semaphore.acquire(key);
      order.push(key);
      return release;
    };
    const requests = ['acme', 'acme', 'acme', 'umbrella', 'initech'].map(acquire);
    for (const release of held) release();
    for (const place of [0, 3, 4, 1, 2]) (await requests[place])?.();
    expect(order).toEqual(['acme', 'umbrella', 'initech', 'acme', 'acme']);
    const three = ['acme', 'acme', 'umbrella'].map((key) => semaphore.acquire(key));
    expect(await isPending(three[1] ?? Promise.resolve())).toBe(false);
    expect(await isPending(three[2] ?? Promise.resolve())).toBe(true);
  });

  it('of a shared total stay available to other keys when one key has reached its limit', async () => {
    const semaphore = new KeyedSemaphore({ ...LIMITS, total: 2 });
    const release = await semaphore.acquire('acme');
    const second = semaphore.acquire('acme');
    expect(await isPending(semaphore.acquire('umbrella'))).toBe(false);
    expect(await isPending(second)).toBe(true);
    release();
    expect(await isPending(second)).toBe(false);
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
