import { describe, expect, it } from 'vitest';
import {
  detectReversal,
  isRecentReversal,
} from '../../../src/features/memory/suggest/detect-reversal.ts';

const votes = (stances: string) =>
  [...stances].map((stance, index) => ({
    stance: stance === '+' ? (1 as const) : (-1 as const),
    createdMs: index,
    similarity: 1,
  }));

describe('a reversal', () => {
  it.each([
    ['+++++-----', 5],
    ['-------++++', 7],
    ['+++-+++-----', 7],
  ])('is found in %s', (stances, at) => {
    expect(detectReversal(votes(stances))).toBe(at);
    expect(detectReversal(votes(stances).toReversed())).toBe(at);
  });

  it('is not found within one time', () => {
    const atOnce = votes('++++++++----').map((vote) => ({ ...vote, createdMs: 1 }));
    expect(detectReversal(atOnce)).toBeUndefined();
  });

  it.each(['', '+', '++++++++', '+-+-+-+-+-', '++-', '+++--', '++++++++-'])(
    'is not found in "%s"',
    (stances) => {
      expect(detectReversal(votes(stances))).toBeUndefined();
    },
  );

  it('is recent for thirty days', () => {
    const at = Date.UTC(2027, 0, 1);
    expect(isRecentReversal(at, Date.UTC(2027, 0, 31))).toBe(true);
    expect(isRecentReversal(at, Date.UTC(2027, 0, 31, 0, 0, 1))).toBe(false);
    expect(isRecentReversal(undefined, at)).toBe(false);
  });
});
