import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyGuard } from '../../../src/features/rewriter/key-guard.ts';

const KEY = 'sk-proj-0123456789-abcdefghij-KLMNOPQRST';

/** The text that passed, and whether the answer was withheld. */
function passAll(key: string, chunks: string[]) {
  const guard = new KeyGuard(key);
  let out = '';
  try {
    for (const chunk of chunks) out += guard.pass(chunk);
    out += guard.rest();
    return { out, withheld: false };
  } catch {
    return { out, withheld: true };
  }
}

const cut = (text: string, places: number[]) => {
  const at = [0, ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b)];
  return at.map((start, index) => text.slice(start, at[index + 1]));
};

const longestCommon = (text: string, key: string) => {
  for (let length = key.length; length > 0; length -= 1) {
    for (let at = 0; at + length <= key.length; at += 1) {
      if (text.includes(key.slice(at, at + length))) return length;
    }
  }
  return 0;
};

/** Words of which some begin like the key. */
const text = fc
  .array(fc.constantFrom('sk-', 'sk-proj-', '0123', '-abc', 'word ', 'ST', 'sk-proj-012345 '))
  .map((words) => words.join(''));
const places = fc.array(fc.nat(1_000), { maxLength: 10 });

describe('a key guard', () => {
  it('passes text without parts of the key unchanged, in any chunks', () => {
    fc.assert(
      fc.property(text, places, (whole, at) => {
        fc.pre(longestCommon(whole, KEY) < 16);
        expect(passAll(KEY, cut(whole, at))).toEqual({ out: whole, withheld: false });
      }),
    );
  });

  it('withholds any part of 16 characters, and passes at most three characters of it', () => {
    const start = fc.nat(KEY.length - 16);
    const length = fc.integer({ min: 16, max: 40 });
    fc.assert(
      fc.property(start, length, places, (from, count, at) => {
        const whole = `Look: ${KEY.slice(from, from + count)} there.`;
        const { out, withheld } = passAll(KEY, cut(whole, at));
        expect(withheld).toBe(true);
        expect(whole.slice(0, 'Look: '.length + 3)).toContain(out);
      }),
    );
  });

  it('withholds a shorter key that is complete, unless it is as short as words', () => {
    expect(passAll('secret-key', ['The secr', 'et-key.'])).toEqual({ out: 'The ', withheld: true });
    expect(passAll('secret-key', ['A secret-k.']).withheld).toBe(false);
    expect(passAll('test', ['a test']).out).toBe('a test');
  });
});
