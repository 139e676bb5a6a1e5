import type { KeyContext, RequestContext } from '../context.ts';
import type { KeyQuotas } from './key-quotas.ts';

/** Sets the headers with the remaining quotas of the key, also for a failed call. */
export async function showingQuotas<Result>(
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
