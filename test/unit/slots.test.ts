import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Slots } from '../../src/platform/slots.ts';

const LIMITS = { perName: 1, maxWaiting: 2, maxWaitMs: 10_000 };

/** Says whether a promise is still pending once all that is due has run. */
const isPending = async (promise: Promise<unknown>) => {
  const pending = Symbol('pending');
  const tick = new Promise((resolve) => setImmediate(resolve, pending));
  return (await Promise.race([promise.catch(() => undefined), tick])) === pending;
};

describe('slots', () => {
  it('are given to the first who came, one after the other', async () => {
    const slots = new Slots(LIMITS);
    const release = await slots.acquire('acme');
    const [second, third] = [slots.acquire('acme'), slots.acquire('acme')];
    expect(await isPending(second)).toBe(true);
    release();
    const releaseSecond = await second;
    expect(await isPending(third)).toBe(true);
    releaseSecond();
    (await third)();
    (await slots.acquire('acme'))();
  });

  it('are counted for each name', async () => {
    const slots = new Slots(LIMITS);
    await slots.acquire('acme');
    expect(await isPending(slots.acquire('umbrella'))).toBe(false);
  });

  it('are refused when too many wait', async () => {
    const slots = new Slots(LIMITS);
    await slots.acquire('acme');
    const waiting = [slots.acquire('acme'), slots.acquire('acme')];
    await expect(slots.acquire('acme')).rejects.toMatchObject({ refusal: 'full' });
    for (const promise of waiting) expect(await isPending(promise)).toBe(true);
  });

  it('are refused to who has waited too long, and the next in line gets them', async () => {
    const slots = new Slots({ ...LIMITS, maxWaitMs: 20 });
    const release = await slots.acquire('acme');
    await expect(slots.acquire('acme')).rejects.toMatchObject({ refusal: 'waitedTooLong' });
    const next = slots.acquire('acme');
    release();
    expect(await isPending(next)).toBe(false);
  });

  it('pass by who has left the line', async () => {
    const slots = new Slots(LIMITS);
    const caller = new AbortController();
    const release = await slots.acquire('acme');
    const left = slots.acquire('acme', caller.signal);
    const next = slots.acquire('acme');
    caller.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    release();
    expect(await isPending(next)).toBe(false);
    await expect(slots.acquire('acme', caller.signal)).rejects.toThrow('gone');
  });

  it('are refused to all who wait and come once it stops', async () => {
    const counts: number[] = [];
    const slots = new Slots({ ...LIMITS, onWaiting: (count) => counts.push(count) });
    await slots.acquire('acme');
    const waiting = slots.acquire('acme');
    slots.stop();
    await expect(waiting).rejects.toMatchObject({ refusal: 'stopping' });
    await expect(slots.acquire('umbrella')).rejects.toMatchObject({ refusal: 'stopping' });
    expect(counts).toEqual([1, 0]);
    expect(slots.stopped.aborted).toBe(false);
  });

  it('of a total are given to lines in turn, not to the longest', async () => {
    const slots = new Slots({ ...LIMITS, perName: 2, total: 2, maxWaiting: 9 });
    const held = [await slots.acquire('acme'), await slots.acquire('acme')];
    const order: string[] = [];
    const ask = async (name: string) => {
      const release = await slots.acquire(name);
      order.push(name);
      return release;
    };
    const asked = ['acme', 'acme', 'acme', 'umbrella', 'initech'].map(ask);
    for (const release of held) release();
    for (const place of [0, 3, 4, 1, 2]) (await asked[place])?.();
    expect(order).toEqual(['acme', 'umbrella', 'initech', 'acme', 'acme']);
    const three = ['acme', 'acme', 'umbrella'].map((name) => slots.acquire(name));
    expect(await isPending(three[1] ?? Promise.resolve())).toBe(false);
    expect(await isPending(three[2] ?? Promise.resolve())).toBe(true);
  });

  it('of a total are left to other names when one has all that are its', async () => {
    const slots = new Slots({ ...LIMITS, total: 2 });
    const release = await slots.acquire('acme');
    const second = slots.acquire('acme');
    expect(await isPending(slots.acquire('umbrella'))).toBe(false);
    expect(await isPending(second)).toBe(true);
    release();
    expect(await isPending(second)).toBe(false);
  });

  it('are fewer for a name while others have some, and as many as before once they are gone', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const slots = new Slots({ ...LIMITS, perName: 3, perNameAmongOthers: 1, maxWaiting: 9 });
    const held = [await slots.acquire('acme'), await slots.acquire('acme')];
    const other = await slots.acquire('umbrella');
    const third = slots.acquire('acme');
    expect(await isPending(third)).toBe(true);
    held.pop()?.();
    other();
    expect(await isPending(third)).toBe(true);
    expect(await isPending(slots.acquire('initech').then((release) => release()))).toBe(false);
    vi.advanceTimersByTime(1_001);
    const fourth = slots.acquire('acme');
    expect(await isPending(third)).toBe(false);
    expect(await isPending(fourth)).toBe(false);
    expect(await isPending(slots.acquire('acme'))).toBe(true);
  });

  it('rest among others for as long as they were held, and not when their name is alone', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const slots = new Slots({ ...LIMITS, restsAmongOthers: true });
    const hold = async (ms: number) => {
      const release = await slots.acquire('acme');
      vi.advanceTimersByTime(ms);
      release();
    };
    await hold(20);
    expect(await isPending(hold(20))).toBe(false);
    (await slots.acquire('umbrella'))();
    await hold(20);
    const next = slots.acquire('acme');
    vi.advanceTimersByTime(19);
    expect(await isPending(next)).toBe(true);
    vi.advanceTimersByTime(1);
    expect(await isPending(next)).toBe(false);
  });
});
