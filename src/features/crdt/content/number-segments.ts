/** The most slots of the hash table that are probed for one segment. */
const MAX_PROBES = 32;

/** Ranges of a text: segment i is [starts[i], ends[i]). */
interface Segments {
  units: Uint16Array;
  starts: Int32Array;
  ends: Int32Array;
}

/**
 * Numbers the segments of two ranges of a text, given by their bounds, so that equal segments have
 * equal numbers. All numbers are less than the count of segments.
 *
 * The hash table holds ranges, since cutting substrings for a Map takes several times as long.
 * Segments with equal hashes are compared. When no slot is found within 32 probes, by chance or for
 * hostile text, the segment counts as new, which makes the diff larger but never wrong.
 */
export function numberSegments(
  units: Uint16Array,
  aBounds: Int32Array,
  bBounds: Int32Array,
): [Int32Array, Int32Array] {
  const starts = concat(aBounds.subarray(0, -1), bBounds.subarray(0, -1));
  const ends = concat(aBounds.subarray(1), bBounds.subarray(1));
  const numbers = numbersOf({ units, starts, ends });
  return [numbers.subarray(0, aBounds.length - 1), numbers.subarray(aBounds.length - 1)];
}

/** The number of a segment is the index of its first occurrence. */
function numbersOf(segments: Segments): Int32Array {
  const hashes = hashesOf(segments);
  const numbers = new Int32Array(hashes.length);
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * hashes.length + 1)));
  const find = (segment: number): number => {
    const hash = hashes[segment] ?? 0;
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const slot = (hash + probe) & (slots.length - 1);
      const first = (slots[slot] ?? 0) - 1;
      if (first < 0) {
        slots[slot] = segment + 1;
        return segment;
      }
      if (hashes[first] === hash && sameSegment(segments, first, segment)) return first;
    }
    return segment;
  };
  for (let segment = 0; segment < numbers.length; segment++) numbers[segment] = find(segment);
  return numbers;
}

/** FNV-1a with a final mix, since the table uses only the low bits. */
function hashesOf({ units, starts, ends }: Segments): Int32Array {
  const hashes = new Int32Array(starts.length);
  for (let segment = 0; segment < hashes.length; segment++) {
    const end = ends[segment] ?? 0;
    let hash = 0x811c9dc5;
    for (let at = starts[segment] ?? 0; at < end; at++) {
      hash = Math.imul(hash ^ (units[at] ?? 0), 0x01000193);
    }
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hashes[segment] = hash ^ (hash >>> 13);
  }
  return hashes;
}

function sameSegment({ units, starts, ends }: Segments, one: number, other: number): boolean {
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
