import { hash } from 'node:crypto';
import { wordsOf } from './words.ts';

/**
 * The lexeme that stands for a word in full text search: 64 bits of a hash of tenant, organization
 * and word, in base64url. Each index entry thus belongs to one tenant, although the index has no
 * tenant column, and words that are frequent in other tenants cost nothing.
 */
export const termKey = (tenantId: string, organizationId: string | null, word: string): string =>
  hashOf([tenantId, organizationId, word]).toString('base64url');

/** The word that counts all judgments in the vocabulary. */
export const ALL_WORDS = '';

/** Equal for the same words in any order. A text, since JavaScript's numbers have fewer bits. */
export const fingerprintOf = (words: string[]): string =>
  hashOf(words.toSorted()).readBigInt64BE().toString();

/** The fingerprint and terms by which a judgment is found. */
export interface WordIndex {
  fingerprint: string;
  terms: string[];
  organizationTerms: string[];
}

export function indexOf(tenantId: string, organizationId: string | null, query: string): WordIndex {
  const words = wordsOf(query);
  const keysIn = (scope: string | null) => words.map((word) => termKey(tenantId, scope, word));
  return {
    fingerprint: fingerprintOf(words),
    terms: keysIn(null),
    organizationTerms: organizationId === null ? [] : keysIn(organizationId),
  };
}

const hashOf = (parts: Array<string | null>): Buffer =>
  hash('sha256', JSON.stringify(parts), 'buffer').subarray(0, 8);
