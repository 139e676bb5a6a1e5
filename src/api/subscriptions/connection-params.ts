import { HEADERS } from '../authenticate.ts';
import type { RequestContext } from '../context.ts';

/**
 * A browser's own EventSource sends no headers, so its credentials may stand in tRPC's
 * `connectionParams` instead: `token` (a user token) or `authorization`, or `apiKey` and
 * `authToken`. What stands in a header goes first. They are part of the address, which is why
 * nothing of ours logs addresses with their query.
 */
export function withConnectionParams(
  ctx: RequestContext,
  params: Readonly<Record<string, string | undefined>> | null,
): RequestContext {
  if (params === null) return ctx;
  const { authorization, token, apiKey, authToken } = params;
  const given: Record<string, string | undefined> = {
    [HEADERS.authorization]: authorization ?? (token === undefined ? undefined : `Bearer ${token}`),
    [HEADERS.apiKey]: apiKey,
    [HEADERS.authToken]: authToken,
  };
  return { ...ctx, header: (name) => ctx.header(name) ?? given[name] };
}
