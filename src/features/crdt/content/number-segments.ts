/** A text, and the bounds of its segments. */
export interface Segments {
  text: string;
  bounds: Int32Array;
}

/** Numbers the segments of two texts so that equal segments have equal numbers, counted from 0. */
export function numberSegments(one: Segments, other: Segments): [Int32Array, Int32Array] {
  const numbers = new Map<string, number>();
  const numbersOf = ({ text, bounds }: Segments) =>
    bounds.subarray(0, -1).map((from, at) => {
      const segment = text.slice(from, bounds[at + 1]);
      const number = numbers.get(segment) ?? numbers.size;
      numbers.set(segment, number);
      return number;
    });
  return [numbersOf(one), numbersOf(other)];
}
