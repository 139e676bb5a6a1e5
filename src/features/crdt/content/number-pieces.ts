/** A crowded place in the table is given up after so many looks. */
const MAX_PROBES = 32;

/** Ranges of a text: piece i is [starts[i], ends[i]). */
interface Pieces {
  units: Uint16Array;
  starts: Int32Array;
  ends: Int32Array;
}

/**
 * Numbers the pieces of a text between neighbouring bounds: equal numbers mean equal pieces. The
 * bounds of two ranges are given, and the numbers of the pieces in each; all are less than the
 * count of pieces.
 *
 * A hash table over ranges, because cutting substrings for a Map takes several times as long.
 * Pieces are compared, not only hashed. Where the table is crowded, by chance or by a hostile text,
 * a piece counts as new: that makes a diff larger, never wrong. Bound: 32 looks for each piece.
 */
export function numberPieces(
  units: Uint16Array,
  aBounds: Int32Array,
  bBounds: Int32Array,
): [Int32Array, Int32Array] {
  const starts = concat(aBounds.subarray(0, -1), bBounds.subarray(0, -1));
  const ends = concat(aBounds.subarray(1), bBounds.subarray(1));
  const numbers = numbersOf({ units, starts, ends });
  return [numbers.subarray(0, aBounds.length - 1), numbers.subarray(aBounds.length - 1)];
}

/** The number of a piece is the index of the first one like it. */
function numbersOf(pieces: Pieces): Int32Array {
  const hashes = hashesOf(pieces);
  const numbers = new Int32Array(hashes.length);
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * hashes.length + 1)));
  const find = (piece: number): number => {
    const hash = hashes[piece] ?? 0;
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const slot = (hash + probe) & (slots.length - 1);
      const first = (slots[slot] ?? 0) - 1;
      if (first < 0) {
        slots[slot] = piece + 1;
        return piece;
      }
      if (hashes[first] === hash && samePiece(pieces, first, piece)) return first;
    }
    return piece;
  };
  for (let piece = 0; piece < numbers.length; piece++) numbers[piece] = find(piece);
  return numbers;
}

/** FNV-1a, mixed once more because the table looks at the low bits only. */
function hashesOf({ units, starts, ends }: Pieces): Int32Array {
  const hashes = new Int32Array(starts.length);
  for (let piece = 0; piece < hashes.length; piece++) {
    const end = ends[piece] ?? 0;
    let hash = 0x811c9dc5;
    for (let at = starts[piece] ?? 0; at < end; at++) {
      hash = Math.imul(hash ^ (units[at] ?? 0), 0x01000193);
    }
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hashes[piece] = hash ^ (hash >>> 13);
  }
  return hashes;
}

function samePiece({ units, starts, ends }: Pieces, one: number, other: number): boolean {
  const oneStart = starts[one] ?? 0;
  const otherStart = starts[other] ?? 0;
  const length = (ends[one] ?? 0) - oneStart;
  if (length !== (ends[other] ?? 0) - otherStart) return false;
  for (let at = 0; at < length; at++) {
    if (units[oneStart + at] !== units[otherStart + at]) return false;
  }
  return true;
}

function concat(a: Int32Array, b: Int32Array): Int32Array {
  const both = new Int32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
