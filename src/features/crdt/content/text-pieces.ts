/** Whether a piece starts at index `at`, which is not the first, of a text in UTF-16 units. */
export type PieceStart = (units: Uint16Array, at: number) => boolean;

/**
 * Cuts [from, to) of a text into pieces; gives where each one starts, and `to` at the end, or
 * undefined when there are more than `maxPieces`.
 */
export function cut(
  units: Uint16Array,
  from: number,
  to: number,
  startsPiece: PieceStart,
  maxPieces: number,
): Int32Array | undefined {
  const bounds = new Int32Array(Math.min(to - from, maxPieces) + 1);
  bounds[0] = from;
  let count = 1;
  for (let at = from + 1; at < to; at++) {
    if (!startsPiece(units, at)) continue;
    if (count >= maxPieces) return undefined;
    bounds[count++] = at;
  }
  bounds[count++] = to;
  return bounds.slice(0, count);
}

/**
 * A line, or part of a long one: a word starts a phrase if its first letters say so, as those of one
 * word in eight do. So phrases are a few words long and start at the same words on both sides, which
 * cuts even a text without line breaks into pieces that mostly occur once.
 */
export const startsPhrase: PieceStart = (units, at) =>
  units[at - 1] === NEWLINE ||
  ((((units[at] ?? 0) + (units[at + 1] ?? 0)) & 7) === 0 && startsWord(units, at));

/** Words keep the spaces after them; punctuation and letters of scripts without spaces stand alone. */
export const startsWord: PieceStart = (units, at) => {
  const unit = units[at] ?? 0;
  const previous = units[at - 1] ?? 0;
  return !isSpace(unit) && (isAlone(unit) || isSpace(previous) || isAlone(previous));
};

/** A surrogate pair is one character. */
export const startsCharacter: PieceStart = (units, at) =>
  !(isHighSurrogate(units[at - 1]) && isLowSurrogate(units[at]));

export const isHighSurrogate = (unit: number | undefined): boolean =>
  ((unit ?? 0) & 0xfc00) === 0xd800;
export const isLowSurrogate = (unit: number | undefined): boolean =>
  ((unit ?? 0) & 0xfc00) === 0xdc00;

const NEWLINE = 0x0a;
const FIRST_OUTSIDE_ASCII = 0x80;
const FIRST_IDEOGRAPH = 0x2e80;

const isSpace = (unit: number): boolean => unit <= 0x20 || unit === 0xa0;

/** Surrogates do not stand alone, so that no piece starts between two of them. */
function isAlone(unit: number): boolean {
  if (unit < FIRST_OUTSIDE_ASCII) return !isSpace(unit) && !isAsciiWord(unit);
  return unit >= FIRST_IDEOGRAPH && (unit & 0xf800) !== 0xd800;
}

function isAsciiWord(unit: number): boolean {
  const folded = unit | 0x20;
  return (folded >= 0x61 && folded <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f;
}
