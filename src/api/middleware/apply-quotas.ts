import type { KeyContext, RequestContext } from '../context.ts';
import type { KeyQuotas } from '../quotas/key-quotas.ts';

const SMALL_VALUE_BYTES = 8;

/** Runs a call, and sets the headers with the remaining quotas of the key, even if the call fails. */
export async function withQuotaHeaders<Result>(
  ctx: RequestContext,
  { tenantId, key }: Pick<KeyContext, 'tenantId' | 'key'>,
  call: (quotas: KeyQuotas | undefined) => Promise<Result>,
): Promise<Result> {
  const quotas = ctx.quotas.of(tenantId, key.quotas);
  if (!quotas) return call(undefined);
  try {
    return await call(quotas);
  } finally {
    ctx.setHeaders(await quotas.headers());
  }
}

/**
 * Estimates the stored size of the input of one call. The size of the body would not do, since the calls
 * of a batch share the body.
 */
export function contentBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return SMALL_VALUE_BYTES;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let bytes = 0;
  if (Array.isArray(value)) {
    for (const item of value) bytes += contentBytes(item);
    return bytes;
  }
  for (const [name, field] of Object.entries(value)) bytes += name.length + contentBytes(field);
  return bytes;
}
