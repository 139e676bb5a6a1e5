import { expect, it } from 'vitest';
import { attemptAll } from '../../../src/platform/loops/attempt-all.ts';

it.each([
  ['is done for all items, also after one has failed', 'The second fails.', [1, 2, 3]],
  ['ends when the database is away', 'Connection terminated unexpectedly', [1, 2]],
])('work for several items %s', async (_what, message, expected) => {
  const attempted: number[] = [];
  const done = attemptAll([1, 2, 3], async (item) => {
    attempted.push(item);
    if (item === 2) throw new Error(message);
  });
  await expect(done).rejects.toThrow(message);
  expect(attempted).toEqual(expected);
});
