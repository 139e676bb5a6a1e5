import { describe, expect, it } from 'vitest';
import { findTurn } from '../../../src/features/memory/suggest/find-turn.ts';

const votes = (sides: string) =>
  [...sides].map((side, index) => ({
    side: side === '+' ? (1 as const) : (-1 as const),
    createdMs: index,
    similarity: 1,
  }));

describe('a change of direction', () => {
  it.each([
    ['+++++-----', 5],
    ['-------++++', 7],
    ['+++-+++-----', 7],
  ])('is found in %s', (sides, at) => {
    expect(findTurn(votes(sides))).toBe(at);
    expect(findTurn(votes(sides).toReversed())).toBe(at);
  });

  it.each(['', '+', '++++++++', '+-+-+-+-+-', '++-', '+++--', '++++++++-'])(
    'is not seen in "%s"',
    (sides) => {
      expect(findTurn(votes(sides))).toBeUndefined();
    },
  );
});
