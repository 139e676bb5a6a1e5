import type { FastifyRequest } from 'fastify';
import { sha256 } from '../../platform/secrets.ts';
import type { RequestContext } from '../context.ts';
import { HEADERS } from '../credentials/headers.ts';
import type { StreamCaller } from '../subscriptions/stream-caller.ts';
import type { KeyCredentials } from './authenticate.ts';

type ConnectionParams = Readonly<Record<string, string | undefined>> | null;

/**
 * Returns the stream ticket in the URL of a subscription: `?ticket=`, or the `ticket` of tRPC's
 * `connectionParams`.
 */
export function ticketOf({ query }: FastifyRequest, params: ConnectionParams): string | undefined {
  const { ticket } = query as { ticket?: string | string[] };
  return (Array.isArray(ticket) ? ticket[0] : ticket) ?? params?.ticket;
}

/**
 * Reads credentials from tRPC's `connectionParams`: `token` (a user token) or `authorization`, or
 * `apiKey` and `authToken`. Headers take precedence. Over HTTP the parameters are part of the URL, so a
 * stream ticket is safer than a token there. This server never logs a URL with its query.
 */
export function withConnectionParams(
  ctx: RequestContext,
  params: ConnectionParams,
): RequestContext {
  if (params === null) return ctx;
  const { authorization, token, apiKey, authToken } = params;
  const fromParams: Record<string, string | undefined> = {
    [HEADERS.authorization]: authorization ?? (token === undefined ? undefined : `Bearer ${token}`),
    [HEADERS.apiKey]: apiKey,
    [HEADERS.authToken]: authToken,
  };
  return { ...ctx, header: (name) => ctx.header(name) ?? fromParams[name] };
}

/**
 * Sends the id of the event after which the subscription starts, before the first item. A client
 * whose connection breaks before any item then resumes at the start, and misses nothing. A
 * server-sent message without data only sets the last event id.
 */
export function withStartPosition(response: Response, eventId: string): Response {
  const { body, status, headers } = response;
  const prefix = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(`id: ${eventId}\n\n`)),
  });
  return new Response(body?.pipeThrough(prefix) ?? null, { status, headers });
}

/** Returns the credentials of a request, which its subscriptions must not outlive. */
export function callerOf(
  ctx: RequestContext,
  { tenantId, userId, claims }: KeyCredentials,
): StreamCaller {
  const token = userId === undefined ? ctx.header(HEADERS.authToken) : undefined;
  return {
    tenantId,
    userId,
    tokenEra: claims?.era,
    tokenEndsAt: claims?.expiresAt,
    tokenHash: token === undefined ? undefined : sha256(token),
    origin: ctx.header('origin'),
  };
}
