import { beforeEach, describe, expect, it, vi } from 'vitest';
import { BackgroundLoop } from '../../../src/platform/loops/background-loop.ts';
import { createMetrics } from '../../../src/platform/metrics/metrics.ts';
import { whenTestEnds } from '../../support/when-file-ends.ts';

const warn = vi.fn();
const metrics = createMetrics();
/** The passes that have started. The test ends each of them. */
let passes: Array<PromiseWithResolvers<unknown>> = [];

function startLoop(options: { everyMs?: number; pauseMs?: number } = {}): BackgroundLoop {
  const run = () => {
    const pass = Promise.withResolvers<unknown>();
    passes.push(pass);
    return pass.promise;
  };
  const log = { warn } as never;
  const loop = new BackgroundLoop(
    { log, metrics },
    { name: 'test', run, failure: 'No.', ...options },
  );
  whenTestEnds(() => {
    for (const { resolve } of passes) resolve(undefined);
    return loop.stop();
  });
  loop.start();
  return loop;
}

/** Advances the clock by this time, and runs what is due. @returns how many passes have started */
const advance = async (ms: number): Promise<number> => {
  await vi.advanceTimersByTimeAsync(ms);
  return passes.length;
};
const endPass = (isMore?: boolean) => {
  passes.at(-1)?.resolve(isMore);
  return advance(0);
};
const failPass = () => {
  passes.at(-1)?.reject(new Error('no database'));
  return advance(0);
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  passes = [];
  warn.mockClear();
});

describe('a background loop', () => {
  it('runs at its interval, counted from the beginning of a pass', async () => {
    startLoop({ everyMs: 1_000 });
    expect(await advance(999)).toBe(0);
    expect(await advance(1)).toBe(1);
    await advance(400);
    await endPass();
    expect(await advance(599)).toBe(1);
    expect(await advance(1)).toBe(2);
  });

  it('starts one more pass for all wake-ups during a pass, and continues at once while there is more work', async () => {
    const loop = startLoop();
    loop.wake();
    loop.wake();
    loop.wake();
    expect(passes.length).toBe(1);
    expect(await endPass()).toBe(2);
    expect(await endPass(true)).toBe(3);
    await endPass(false);
    expect(await advance(10_000)).toBe(3);
  });

  it('does not lose a wake-up in the tick in which a pass ends', async () => {
    const loop = startLoop();
    loop.wake();
    passes[0]?.resolve(undefined);
    for (let tick = 0; tick < 20; tick++) {
      const begun = passes.length;
      await Promise.resolve();
      loop.wake();
      passes.at(-1)?.resolve(undefined);
      await advance(0);
      expect(passes.length, `at tick ${tick}`).toBeGreaterThan(begun);
    }
  });

  it('sleeps until it is woken, and runs after the shortest of the requested delays', async () => {
    const loop = startLoop();
    expect(await advance(3_600_000)).toBe(0);
    loop.wake(5_000);
    loop.wake(200);
    loop.wake(1_000);
    expect(await advance(199)).toBe(0);
    expect(await advance(1)).toBe(1);
  });

  it('combines wake-ups that come soon after a pass', async () => {
    const loop = startLoop({ pauseMs: 15 });
    loop.wake();
    expect(passes.length).toBe(1);
    await endPass();
    loop.wake();
    await advance(10);
    loop.wake();
    expect(passes.length).toBe(1);
    expect(await advance(5)).toBe(2);
  });

  it('retries after a failure with a growing delay, even when woken, and counts its passes by result', async () => {
    metrics.loopSeconds.reset();
    const loop = startLoop();
    loop.wake();
    for (const waitMs of [100, 200, 400, 800, 1_000, 1_000]) {
      const begun = passes.length;
      await failPass();
      loop.wake();
      expect(await advance(waitMs - 1)).toBe(begun);
      expect(await advance(1)).toBe(begun + 1);
    }
    expect(warn).toHaveBeenCalledWith({ err: expect.any(Error), loop: 'test' }, 'No.');
    await endPass();
    loop.wake();
    await failPass();
    expect(await advance(100)).toBe(9);
    const text = await metrics.registry.getSingleMetricAsString('background_pass_duration_seconds');
    expect(text).toContain('_count{loop="test",outcome="failed"} 7');
    expect(text).toContain('_count{loop="test",outcome="done"} 1');
  });

  it('stops after the pass under way', async () => {
    const loop = startLoop({ everyMs: 1_000 });
    loop.wake();
    loop.wake();
    let isStopped = false;
    const stopped = loop.stop().then(() => {
      isStopped = true;
    });
    await advance(5_000);
    expect(isStopped).toBe(false);
    passes[0]?.resolve(true);
    await stopped;
    loop.wake();
    expect(await advance(5_000)).toBe(1);
  });
});
