import { expect, it, vi } from 'vitest';
import { Network } from '../../src/client/network.ts';

it('the network of a client lets several sockets together try no more often than one, and connects all once one succeeds', async () => {
  vi.useFakeTimers();
  const network = new Network(new AbortController().signal);
  let isServerBack = false;
  let attempts = 0;
  const connect = async () => {
    do {
      await network.untilAttempt();
      attempts++;
      if (isServerBack) network.recordContact();
      else network.recordFailure();
    } while (!isServerBack);
  };
  network.recordFailure();
  const sockets = Promise.all([connect(), connect(), connect()]);
  await vi.advanceTimersByTimeAsync(10_000);
  // Each delay is 300 to 500 ms.
  expect(attempts).toBeGreaterThanOrEqual(20);
  expect(attempts).toBeLessThanOrEqual(34);
  isServerBack = true;
  await vi.advanceTimersByTimeAsync(500);
  await sockets;
});
