/** Whether a segment starts at index `at` > 0 of a text. */
export type SegmentStart = (text: string, at: number) => boolean;

/**
 * Splits [from, to) of a text into segments. Returns the start of each one, followed by `to`;
 * undefined when there are more than `maxSegments`.
 */
export function segmentBounds(
  text: string,
  from: number,
  to: number,
  startsSegment: SegmentStart,
  maxSegments: number,
): Int32Array | undefined {
  const bounds = new Int32Array(Math.min(to - from, maxSegments) + 1);
  bounds[0] = from;
  let count = 1;
  for (let at = from + 1; at < to; at++) {
    if (!startsSegment(text, at)) continue;
    if (count >= maxSegments) return undefined;
    bounds[count++] = at;
  }
  bounds[count++] = to;
  return bounds.slice(0, count);
}

export const segmentsBetween = (text: string, bounds: Int32Array): string[] =>
  Array.from(bounds.subarray(1), (to, at) => text.slice(bounds[at], to));

/**
 * A phrase is a line or a part of one. About one word in eight starts a phrase: which ones depends on
 * their first two letters. So both sides of a comparison are split at the same words, and even a text
 * without line breaks is split into segments that are mostly unique.
 */
export const startsPhrase: SegmentStart = (text, at) =>
  text.charCodeAt(at - 1) === NEWLINE ||
  (((text.charCodeAt(at) + text.charCodeAt(at + 1)) & 7) === 0 && startsWord(text, at));

/**
 * A word includes the spaces after it. Punctuation and letters of scripts without spaces are words
 * by themselves.
 */
export const startsWord: SegmentStart = (text, at) => {
  const unit = text.charCodeAt(at);
  const previous = text.charCodeAt(at - 1);
  return !isSpace(unit) && (isWordByItself(unit) || isSpace(previous) || isWordByItself(previous));
};

/** A surrogate pair is one character. */
export const startsCharacter: SegmentStart = (text, at) =>
  !(isHighSurrogate(text.charCodeAt(at - 1)) && isLowSurrogate(text.charCodeAt(at)));

export const isHighSurrogate = (unit: number | undefined): boolean =>
  ((unit ?? 0) & 0xfc00) === 0xd800;
export const isLowSurrogate = (unit: number | undefined): boolean =>
  ((unit ?? 0) & 0xfc00) === 0xdc00;

const NEWLINE = 0x0a;
const FIRST_OUTSIDE_ASCII = 0x80;
const FIRST_IDEOGRAPH = 0x2e80;

const isSpace = (unit: number): boolean => unit <= 0x20 || unit === 0xa0;

/** A surrogate is never a word by itself, so that no segment starts within a pair. */
function isWordByItself(unit: number): boolean {
  if (unit < FIRST_OUTSIDE_ASCII) return !isSpace(unit) && !isAsciiWord(unit);
  return unit >= FIRST_IDEOGRAPH && (unit & 0xf800) !== 0xd800;
}

function isAsciiWord(unit: number): boolean {
  const folded = unit | 0x20;
  return (folded >= 0x61 && folded <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f;
}
