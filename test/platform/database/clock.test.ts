import { expect, it } from 'vitest';
import { DatabaseClock } from '../../../src/platform/database/database-clock.ts';

const HOUR_MS = 3_600_000;

/** Reads a clock of the database that is so much ahead, with an answer that took so long. */
function readClock(clock: DatabaseClock, { aheadMs = 0, tookMs = 0 }): void {
  const sentAt = performance.now() - tookMs;
  clock.adjust(Date.now() - tookMs / 2 + aheadMs, sentAt);
}

const aheadOf = (clock: DatabaseClock) => clock.now() - Date.now();

it('the clock of a process is that of the database, ahead or behind its own', () => {
  const clock = new DatabaseClock();
  readClock(clock, { aheadMs: HOUR_MS, tookMs: 2 });
  expect(Math.abs(aheadOf(clock) - HOUR_MS)).toBeLessThan(100);
  readClock(clock, { aheadMs: -HOUR_MS, tookMs: 2 });
  expect(Math.abs(aheadOf(clock) + HOUR_MS)).toBeLessThan(100);
});

it('a slow answer does not make a clock worse that is right', () => {
  const clock = new DatabaseClock();
  readClock(clock, { aheadMs: HOUR_MS, tookMs: 2 });
  for (const aheadMs of [HOUR_MS - 4_000, HOUR_MS + 4_000]) {
    readClock(clock, { aheadMs, tookMs: 10_000 });
    expect(Math.abs(aheadOf(clock) - HOUR_MS)).toBeLessThan(100);
  }
});
