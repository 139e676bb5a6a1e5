import { AppError } from '../errors.ts';

/** The first and the last byte, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Returns the part that a `Range` header asks for (RFC 9110, section 14). Returns undefined for the
 * whole file, and also if the header asks for several parts: a server may ignore such a header.
 *
 * @throws OUT_OF_RANGE (416) when the part begins after the end
 */
export function byteRangeOf(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  // Without a first byte, `last` is the number of bytes at the end of the file.
  if (first === '') return rangeWithin(size, Math.max(0, size - Number(last)));
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return rangeWithin(size, Number(first), last === '' ? undefined : Number(last));
}

function rangeWithin(size: number, start: number, end = size - 1): ByteRange {
  if (start >= size) {
    throw new AppError('OUT_OF_RANGE', `The file has ${size} bytes.`, { http: 416 });
  }
  return { start, end: Math.min(end, size - 1) };
}
