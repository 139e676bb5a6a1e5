import { hash } from 'node:crypto';
import { wordsOf } from './words.ts';

/**
 * What stands for a word in full text search, as a lexeme: 64 bits of a hash of tenant, organization
 * and word, in base64url. So an entry of the index belongs to one tenant although the index knows no
 * tenants, and a word that is frequent with others costs nothing.
 */
export const termKey = (tenantId: string, organizationId: string | null, word: string): string =>
  hashOf([tenantId, organizationId, word]).toString('base64url');

/** Stands for all judgments in the vocabulary. */
export const ALL_WORDS = '';

/** The same for the same words, in any order. As text: JavaScript's numbers are too short. */
export const fingerprintOf = (words: string[]): string =>
  hashOf(words.toSorted()).readBigInt64BE().toString();

/** What a judgment is found by. */
export interface WordIndex {
  fingerprint: string;
  terms: string[];
  organizationTerms: string[];
}

export function indexOf(tenantId: string, organizationId: string | null, query: string): WordIndex {
  const words = wordsOf(query);
  const keysIn = (place: string | null) => words.map((word) => termKey(tenantId, place, word));
  return {
    fingerprint: fingerprintOf(words),
    terms: keysIn(null),
    organizationTerms: organizationId === null ? [] : keysIn(organizationId),
  };
}

const hashOf = (parts: Array<string | null>): Buffer =>
  hash('sha256', JSON.stringify(parts), 'buffer').subarray(0, 8);
