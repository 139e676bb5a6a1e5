import { describe, expect, it } from 'vitest';
import { indexColumns, readVector, termKey } from '../../../src/features/memory/text/term-keys.ts';
import { numbersOf, READ_LENGTH, termsOf } from '../../../src/features/memory/text/terms.ts';

const wordsOf = (text: string) => [...termsOf(text).keys()];

describe('the terms of a text', () => {
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
    ['termination termanation terminnation', 1],
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
    expect(wordsOf('iPhone退款')).toEqual(['退款', 'iphn']);
  });

  it('come from the beginning of a long text', () => {
    const long = 'word '.repeat(100_000);
    expect(termsOf(`${long} end`)).toEqual(new Map([['word', READ_LENGTH / 5]]));
    expect(wordsOf(`${'xy'.repeat(READ_LENGTH / 2)}z`)).toEqual(['xy'.repeat(READ_LENGTH / 2)]);
  });
});

describe('the keys of terms', () => {
  it('differ by tenant and organization', () => {
    const keys = [termKey('a', null, 'w'), termKey('b', null, 'w'), termKey('a', 'o', 'w')];
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(key).toMatch(/^[\w-]{11}$/);
  });

  it('of an item are the same for the same terms in any order, with the times of each', () => {
    const [one, other] = [
      indexColumns('a', null, 'red lamp, red'),
      indexColumns('a', null, 'lamp red'),
    ];
    expect(one.fingerprint).toBe(other.fingerprint);
    expect(one.fingerprint).not.toBe(indexColumns('a', null, 'redlamp').fingerprint);
    expect(readVector(one.vector)).toEqual(
      new Map([
        [termKey('a', null, 'red'), 2],
        [termKey('a', null, 'lamp'), 1],
      ]),
    );
    expect(readVector("'old' 'index':1")).toEqual(
      new Map([
        ['old', 1],
        ['index', 1],
      ]),
    );
    expect(readVector('')).toEqual(new Map());
  });
});

it('the numbers of a text are compared by the word after them', () => {
  const [one, other] = [numbersOf('up to 1,500 euros or 5%'), numbersOf('1500 euro')];
  expect(one.get('euro')).toBe(Math.log1p(1500));
  expect(other.get('euro')).toBe(one.get('euro'));
  expect(one.get('%')).toBe(Math.log1p(5));
  expect(numbersOf(`${'9'.repeat(400)} euros`).get('euro')).toBeLessThan(1_000);
});
