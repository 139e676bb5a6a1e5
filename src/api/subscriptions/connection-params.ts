import { HEADERS } from '../authenticate.ts';
import type { RequestContext } from '../context.ts';

/**
 * Reads credentials from tRPC's `connectionParams`, since a browser's EventSource cannot send
 * headers: `token` (a user token) or `authorization`, or `apiKey` and `authToken`. Headers take
 * precedence. The parameters are part of the URL, so URLs are never logged with their query.
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
