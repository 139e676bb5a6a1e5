const SMALL_VALUE_BYTES = 8;

/**
 * Estimates the stored size of an input. The input of one call is measured and not the body, which
 * the calls of a batch share.
 */
export function contentBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return SMALL_VALUE_BYTES;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let bytes = 0;
  if (Array.isArray(value)) for (const item of value) bytes += contentBytes(item);
  else
    for (const [name, field] of Object.entries(value)) bytes += name.length + contentBytes(field);
  return bytes;
}
