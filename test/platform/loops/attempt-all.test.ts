import { describe, expect, it } from 'vitest';
import { attemptAll } from '../../../src/platform/loops/attempt-all.ts';

describe('work for several items', () => {
  const failing = (error: Error) => {
    const attempted: number[] = [];
    const done = attemptAll([1, 2, 3], async (item) => {
      attempted.push(item);
      if (item === 2) throw error;
    });
    return { attempted, done };
  };

  it('is done for all items, also after one has failed', async () => {
    const { attempted, done } = failing(new Error('The second fails.'));
    await expect(done).rejects.toThrow('The second fails.');
    expect(attempted).toEqual([1, 2, 3]);
  });

  it('ends when the database is away, so that it does not wait for each item', async () => {
    const { attempted, done } = failing(new Error('Connection terminated unexpectedly'));
    await expect(done).rejects.toThrow('Connection terminated');
    expect(attempted).toEqual([1, 2]);
  });
});
