import {
  type AnyRouter,
  getTRPCErrorShape,
  isTrackedEnvelope,
  TRPCError,
  transformTRPCResponse,
} from '@trpc/server';
import { parseConnectionParamsFromUnknown } from '@trpc/server/http';
import {
  parseTRPCMessage,
  type TRPCClientOutgoingMessage,
  type TRPCResponseMessage,
} from '@trpc/server/rpc';
import type { RequestContext } from '../../api/context.ts';
import { procedureNotFound } from '../../api/procedure-not-found.ts';
import { toAppError } from '../../api/responses/failures.ts';
import { configOf, hasProcedure, typeOf } from '../../api/trpc-internals.ts';
import { type AppError, invalidArgument, STATUSES } from '../../platform/errors.ts';
import { isObject } from '../../platform/json.ts';

/* This file reads and writes the messages of tRPC's WebSocket link (`wsLink`), which are JSON. */

export type ConnectionParams = ReturnType<typeof parseConnectionParamsFromUnknown>;
export type StreamId = number | string;

/** A request of a client to begin a subscription, or to end one. */
export type StreamRequest =
  | { id: StreamId; stop: true }
  | { id: StreamId; path: string; input: unknown };

/** @throws INVALID_ARGUMENT */
export function parseConnectionParams(text: string): ConnectionParams {
  const message = parseJson(text);
  if (!isObject(message)) throw invalidArgument(MALFORMED_MESSAGE);
  if (message.method !== 'connectionParams') throw invalidArgument(PARAMS_EXPECTED);
  return parseConnectionParamsFromUnknown(message.data);
}

/** Returns the requests in a message, which may be a batch. @throws INVALID_ARGUMENT */
export function splitRequests(text: string): unknown[] {
  const value = parseJson(text);
  return Array.isArray(value) ? value : [value];
}

/** Returns the id of a request, which may be malformed, for the response to it. */
export function idOf(request: unknown): StreamId | null {
  const id = isObject(request) ? request.id : null;
  return typeof id === 'number' || typeof id === 'string' ? id : null;
}

/** @throws INVALID_ARGUMENT, also for calls that are not subscriptions */
export function parseRequest(router: AnyRouter, request: unknown): StreamRequest {
  const message = parseMessage(router, request);
  const { id, method } = message;
  if (id === null) throw invalidArgument('id: is missing.');
  if (method === 'subscription.stop') return { id, stop: true };
  if (method !== 'subscription') throw invalidArgument(SUBSCRIPTIONS_ONLY);
  const { path, input, lastEventId } = message.params;
  if (typeOf(router, path) !== 'subscription') throw notASubscription(router, path);
  return { id, path, input: withLastEventId(input, lastEventId) };
}

function parseMessage(router: AnyRouter, request: unknown): TRPCClientOutgoingMessage {
  try {
    return parseTRPCMessage(request, configOf(router).transformer);
  } catch (error) {
    const failure = toAppError(error);
    throw failure.status === 'INVALID_ARGUMENT' ? failure : invalidArgument(MALFORMED_MESSAGE);
  }
}

const notASubscription = (router: AnyRouter, path: string): AppError =>
  hasProcedure(router, path)
    ? invalidArgument(SUBSCRIPTIONS_ONLY)
    : procedureNotFound(router, [path]);

const SUBSCRIPTIONS_ONLY =
  'This connection accepts only subscriptions. Call other operations over HTTP.';

/** Adds the id of the last event that a client received, which it sends when it reconnects. */
const withLastEventId = (input: unknown, lastEventId: string | undefined): unknown =>
  isObject(input) && lastEventId !== undefined ? { ...input, lastEventId } : input;

const MALFORMED_MESSAGE =
  'The message must be a tRPC message in JSON: {"id", "method": "subscription", "params": {"path", "input"}}.';
const PARAMS_EXPECTED =
  'The first message of this connection must be {"method": "connectionParams", "data": {"token"}}.';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidArgument(MALFORMED_MESSAGE);
  }
}

/**
 * The confirmation that a subscription has started, with the id of the event after which it starts. A client
 * that is disconnected before the first item can resume there.
 */
export const startedMessage = (id: StreamId, position: string | undefined): object => ({
  id,
  result: { type: 'started', id: position },
});

export const stoppedMessage = (id: StreamId): object => ({ id, result: { type: 'stopped' } });

/** An item, with the id of its event. */
export function itemMessage(router: AnyRouter, id: StreamId, item: unknown): object {
  const result = isTrackedEnvelope(item)
    ? { type: 'data' as const, id: item[0], data: { id: item[0], data: item[1] } }
    : { type: 'data' as const, data: item };
  return transformed(router, { id, result });
}

interface FailedCall {
  error: unknown;
  path?: string;
  ctx?: RequestContext;
}

/** A failure, in the form in which typed clients also receive it over HTTP. */
export function failureMessage(
  router: AnyRouter,
  id: StreamId | null,
  { error: cause, path, ctx }: FailedCall,
): object {
  const failure = toAppError(cause);
  const error = new TRPCError({ code: STATUSES[failure.status].trpc, cause: failure });
  const shape = getTRPCErrorShape({
    config: configOf(router),
    error,
    type: 'subscription',
    path,
    ctx,
    input: undefined,
  });
  return transformed(router, { id, error: shape });
}

const transformed = (router: AnyRouter, message: TRPCResponseMessage): object =>
  transformTRPCResponse(configOf(router), message) as object;
