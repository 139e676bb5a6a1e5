import { hash } from 'node:crypto';
import { termsOf } from './terms.ts';

/** The version of the rules for terms. Judgments of other versions are indexed again. */
export const INDEX_VERSION = 2;

/**
 * Returns the lexeme that stands for a term in full text search: 64 bits of a hash of tenant,
 * organization and term, in base64url. Each index entry thus belongs to one tenant, although the index has no
 * tenant column, and terms that are frequent in other tenants cost nothing.
 */
export const termKey = (tenantId: string, organizationId: string | null, term: string): string =>
  hashOf([tenantId, organizationId, term]).toString('base64url');

/** A term that no text has. In the vocabulary, it counts all judgments. */
export const ALL_TERMS = '';

/** The most occurrences of a term that are counted: more repetitions say nothing new about a text. */
const MAX_OCCURRENCES = 8;

/** Returns the values of the columns by which a judgment is found. */
export function indexColumns(tenantId: string, organizationId: string | null, query: string) {
  const terms = termsOf(query);
  const words = [...terms.keys()];
  return {
    fingerprint: fingerprintOf(words),
    organizationTerms:
      organizationId === null ? [] : words.map((term) => termKey(tenantId, organizationId, term)),
    /** The terms as a tsvector, in which each has one position for each occurrence. */
    vector: [...terms]
      .map(([term, times]) => `'${termKey(tenantId, null, term)}':${positions(times)}`)
      .join(' '),
  };
}

/** Returns a 64-bit number, as a string, that is equal for the same terms in any order. */
const fingerprintOf = (words: string[]): string =>
  hashOf(words.toSorted()).readBigInt64BE().toString();

const positions = (times: number): string =>
  Array.from({ length: Math.min(times, MAX_OCCURRENCES) }, (_, n) => n + 1).join(',');

/** Reads the keys of a tsvector in PostgreSQL's notation, each with its number of positions. */
export function readVector(vector: string): Map<string, number> {
  const terms = new Map<string, number>();
  for (const part of vector.split(' ')) {
    const [key = '', places] = part.split(':');
    if (key !== '') terms.set(key.slice(1, -1), places?.split(',').length ?? 1);
  }
  return terms;
}

const hashOf = (parts: Array<string | null>): Buffer =>
  hash('sha256', JSON.stringify(parts), 'buffer').subarray(0, 8);

/** The fingerprint of all texts without terms, such as emojis. They need not be about the same item. */
export const NO_ITEM = fingerprintOf([]);
