/** Scales a vector to unit length. Returns undefined for a vector without direction. */
export function unitVector(numbers: ArrayLike<number>): Float32Array | undefined {
  const vector = Float32Array.from(numbers);
  const length = Math.sqrt(dot(vector, vector));
  if (!Number.isFinite(length) || length === 0) return undefined;
  return vector.map((number) => number / length);
}

/** The dot product, which for unit vectors is their cosine. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

/** The bytes of a vector, as they are stored. */
export const bytesOf = (vector: Float32Array): Buffer =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

/** Copies the bytes, since a Float32Array must begin at a multiple of four bytes. */
export const vectorOf = (bytes: Uint8Array): Float32Array =>
  new Float32Array(new Uint8Array(bytes).buffer);
