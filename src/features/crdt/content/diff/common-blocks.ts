import { isHighSurrogate, isLowSurrogate } from './text-segments.ts';

/** Returns the lengths of the common prefix and suffix, which split no surrogate pair. */
export function commonEnds(one: string, other: string): { head: number; tail: number } {
  let head = commonLength(one, other, fromStart);
  if (head > 0 && isHighSurrogate(one.charCodeAt(head - 1))) head--;
  let tail = commonLength(one.slice(head), other.slice(head), fromEnd);
  if (tail > 0 && isLowSurrogate(one.charCodeAt(one.length - tail))) tail--;
  return { head, tail };
}

/** Texts are compared in slices of these lengths, in a tenth of the time that single units would take. */
const SLICE_LENGTHS = [4_096, 512, 64, 8, 1];

/** Reads `count` units from one end of a text, after `skipped` units. */
type ReadSlice = (text: string, skipped: number, count: number) => string;

const fromStart: ReadSlice = (text, skipped, count) => text.slice(skipped, skipped + count);
const fromEnd: ReadSlice = (text, skipped, count) =>
  text.slice(text.length - skipped - count, text.length - skipped);

function commonLength(one: string, other: string, read: ReadSlice): number {
  const shorter = Math.min(one.length, other.length);
  let length = 0;
  for (const step of SLICE_LENGTHS) {
    while (length + step <= shorter && read(one, length, step) === read(other, length, step)) {
      length += step;
    }
  }
  return length;
}

/** The length of the sample by which a dominant block is found, in UTF-16 units. */
const SAMPLE_LENGTH = 64;

/**
 * Finds a block that both texts contain and that is at least half as long as the shorter text. It searches
 * the second text for a sample from the middle of the first. A sample that either text contains twice is
 * not used, since it could pair the wrong places.
 *
 * @returns the starts of the block in the two texts, and its length; undefined if none is found
 */
export function dominantBlock(one: string, other: string) {
  const middle = (one.length - SAMPLE_LENGTH) >> 1;
  if (middle < SAMPLE_LENGTH || other.length < SAMPLE_LENGTH) return undefined;
  const sample = one.slice(middle, middle + SAMPLE_LENGTH);
  const found = other.indexOf(sample);
  const isUnique =
    found >= 0 &&
    other.indexOf(sample, found + 1) < 0 &&
    one.indexOf(sample) === middle &&
    one.indexOf(sample, middle + 1) < 0;
  if (!isUnique) return undefined;
  const before = commonLength(one.slice(0, middle), other.slice(0, found), fromEnd);
  const a = middle - before;
  const b = found - before;
  const length = before + commonLength(one.slice(middle), other.slice(found), fromStart);
  if (2 * length < Math.min(one.length, other.length)) return undefined;
  // Neither end of the block may split a surrogate pair.
  const start = isLowSurrogate(one.charCodeAt(a)) ? 1 : 0;
  const end = isHighSurrogate(one.charCodeAt(a + length - 1)) ? 1 : 0;
  return { a: a + start, b: b + start, length: length - start - end };
}
