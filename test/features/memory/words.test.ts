import { describe, expect, it } from 'vitest';
import {
  asciiOf,
  canBeMisspelt,
  isMisspelling,
} from '../../../src/features/memory/text/spellings.ts';
import { fingerprintOf, termKey } from '../../../src/features/memory/text/term-keys.ts';
import { READ_LENGTH, wordsOf } from '../../../src/features/memory/text/words.ts';

describe('the words of a text', () => {
  it.each([
    ['approved approval approves approve', 1],
    ['refund refunds refunded refunding', 1],
    ['delivery deliveries', 1],
    ['price prices pricing', 1],
    ['ship shipping shipped', 1],
    ['Café CAFE cafe\u0301', 1],
    ["don't dont", 1],
    ['1,000 1000', 1],
    ['5 50 500', 3],
    ['allowed not', 2],
  ])('"%s" are %d', (text, count) => {
    expect(wordsOf(text)).toHaveLength(count);
  });

  it('leave out words without meaning, unless there are no others', () => {
    expect(wordsOf('May we do it for the customer?')).toEqual(wordsOf('may customer'));
    expect(wordsOf('what is this')).toEqual(['what', 'is', 'this']);
    expect(wordsOf('?! -- 👩‍🚀')).toEqual([]);
  });

  it('are pairs of characters in scripts without spaces', () => {
    expect(wordsOf('退款申请')).toEqual(['退款', '款申', '申请']);
    expect(wordsOf('税')).toEqual(['税']);
    expect(wordsOf('iPhone退款')).toEqual(['退款', 'iphon']);
  });

  it('come from the beginning of a long text', () => {
    const long = 'word '.repeat(100_000);
    expect(wordsOf(`${long} end`)).toEqual(['word']);
    expect(wordsOf(`${'x'.repeat(READ_LENGTH)}y`)).toEqual(['x'.repeat(READ_LENGTH)]);
  });
});

describe('the keys of words', () => {
  it('differ by tenant and organization', () => {
    const keys = [termKey('a', null, 'w'), termKey('b', null, 'w'), termKey('a', 'o', 'w')];
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(key).toMatch(/^[\w-]{11}$/);
  });

  it('of an item are the same for the same words in any order', () => {
    expect(fingerprintOf(['a', 'b'])).toBe(fingerprintOf(['b', 'a']));
    expect(fingerprintOf(['a', 'b'])).not.toBe(fingerprintOf(['ab']));
  });
});

describe('a misspelling', () => {
  it.each(['agreemnt', 'agreementt', 'agreemenr', 'agreemetn', 'greement', 'greemaent'])(
    'of "agreement" is "%s"',
    (misspelt) => {
      expect(isMisspelling(misspelt, 'agreement')).toBe(true);
      expect(isMisspelling('agreement', misspelt)).toBe(true);
    },
  );

  it.each(['argument', 'agreements are', 'tnemeerga', 'agreeent s', 'argeemnet', ''])(
    'of "agreement" is not "%s"',
    (other) => {
      expect(isMisspelling(other, 'agreement')).toBe(false);
    },
  );

  it('excludes numbers, and words that are too short or too long', () => {
    expect(['cat', '50000', 'x'.repeat(25), 'cats', 'цена'].map(canBeMisspelt)).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
  });
});

describe('the letters of a spelling key', () => {
  it('are ASCII, one for each letter of any script', () => {
    for (const word of ['agreement', 'договор', '退款', 'straße', '👍ok']) {
      expect(asciiOf(word)).toMatch(/^[a-z]+$/);
      expect(asciiOf(word)).toHaveLength([...word].length);
    }
  });
});
