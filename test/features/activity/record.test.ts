import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  FIRST_HASH,
  hashOf,
  type UnchainedRecord,
} from '../../../src/features/activity/record.ts';

const facts = (data: unknown, id = 'a'): UnchainedRecord => ({
  id,
  organizationId: 'acme',
  documentId: null,
  featureType: 'comment',
  actionType: 'comment.add',
  userId: 'ada',
  content: { data },
  isImmutable: true,
  createdAt: new Date(0),
});

/** The same value with the keys of its objects in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, reversed(item)]);
  return Object.fromEntries(entries.reverse());
}

describe('the hash of a record', () => {
  it('does not depend on the order of keys, nor on storing the record', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
        const stored = JSON.parse(JSON.stringify(value));
        const hash = hashOf('key', facts(value), FIRST_HASH);
        expect(hashOf('key', facts(stored), FIRST_HASH)).toBe(hash);
      }),
    );
  });

  it('changes with every field that it covers', () => {
    const hashes = [
      hashOf('key', facts(1), FIRST_HASH),
      hashOf('other', facts(1), FIRST_HASH),
      hashOf('key', facts('1'), FIRST_HASH),
      hashOf('key', facts(1, 'b'), FIRST_HASH),
      hashOf('key', facts(1), 'f'.repeat(64)),
      hashOf('key', { ...facts(1), isImmutable: false }, FIRST_HASH),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
