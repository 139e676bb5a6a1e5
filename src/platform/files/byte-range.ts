import { AppError } from '../errors.ts';

/** The first and the last byte, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Returns the part that a `Range` header asks for (RFC 9110, section 14). Undefined: all of the file,
 * as for several parts at once, which a server may ignore.
 *
 * @throws OUT_OF_RANGE (416) when the part begins after the end
 */
export function byteRangeOf(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < start) return undefined;
  if (start >= size) {
    throw new AppError('OUT_OF_RANGE', `The file has ${size} bytes.`, { http: 416 });
  }
  return { start, end };
}
