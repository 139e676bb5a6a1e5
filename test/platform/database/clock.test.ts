import { expect, it } from 'vitest';
import { DatabaseClock } from '../../../src/platform/database/database-clock.ts';

const HOUR_MS = 3_600_000;

/** Reads a clock of the database that is so much ahead, with an answer that took so long. */
function readClock(clock: DatabaseClock, aheadMs: number, tookMs = 2): void {
  const sentAt = performance.now() - tookMs;
  clock.adjust(Date.now() - tookMs / 2 + aheadMs, sentAt);
}

const expectAhead = (clock: DatabaseClock, ms: number) =>
  expect(Math.abs(clock.now() - Date.now() - ms)).toBeLessThan(100);

it('the clock of a process is that of the database, ahead or behind its own, and no slow answer makes it worse', () => {
  const clock = new DatabaseClock();
  for (const aheadMs of [-HOUR_MS, HOUR_MS]) {
    readClock(clock, aheadMs);
    expectAhead(clock, aheadMs);
  }
  for (const aheadMs of [HOUR_MS - 4_000, HOUR_MS + 4_000]) {
    readClock(clock, aheadMs, 10_000);
    expectAhead(clock, HOUR_MS);
  }
});
