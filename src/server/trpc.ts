import { Readable } from 'node:stream';
import type { AnyRouter } from '@trpc/server';
import { incomingMessageToRequest } from '@trpc/server/adapters/node-http';
import { resolveResponse } from '@trpc/server/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptJsonOnly, unsupportedMediaType } from '../api/body/json-body.ts';
import type { BodyReceiver } from '../api/body/receive-body.ts';
import type { RequestContext } from '../api/context.ts';
import type { ServedRouter } from '../api/extension.ts';
import {
  ticketOf,
  withConnectionParams,
  withStartPosition,
} from '../api/middleware/connect-stream.ts';
import { procedureNotFound } from '../api/procedure-not-found.ts';
import { compressStream, compressText, wantsGzip } from '../api/responses/compress-responses.ts';
import { failureHeaders } from '../api/responses/envelope.ts';
import { toAppError } from '../api/responses/failures.ts';
import { SerializedOutputs } from '../api/responses/serialized-outputs.ts';
import { hasProcedure, typeOf } from '../api/trpc-internals.ts';
import { type AppError, invalidArgument } from '../platform/errors.ts';
import type { UnreadResponses } from './responses/unread-responses.ts';

/** The most calls in one batch, so that the work of a batch is limited. */
const MAX_BATCH = 50;

const tooManyCalls = () =>
  invalidArgument(`A batch has at most ${MAX_BATCH} calls: set maxItems of httpBatchLink.`);

interface TrpcDependencies {
  bodies: BodyReceiver;
  /** Counts the long responses that clients have not read yet, to limit their memory. */
  unread: UnreadResponses;
}

type TrpcRequest = FastifyRequest<{ Params: { path: string } }>;

/** Serves a router to typed clients, in a scope that leaves bodies as text, since tRPC parses them itself. */
export async function registerTrpc(
  app: FastifyInstance,
  { bodies, unread }: TrpcDependencies,
  served: ServedRouter,
): Promise<void> {
  await app.register(
    (scope, _options, done) => {
      acceptJsonOnly(scope, bodies, 'text');
      scope.addHook('onRequest', (request, _reply, next) =>
        next(problemBeforeBody(request as TrpcRequest, served.router)),
      );
      scope.route({
        method: ['GET', 'POST'],
        url: '/:path',
        exposeHeadRoute: false,
        handler: (request: TrpcRequest, reply) => respond(request, reply, served, unread),
      });
      done();
    },
    { prefix: served.prefix },
  );
}

/** Returns the failure if a request is refused before its body is read. */
function problemBeforeBody(
  { params, method, headers }: TrpcRequest,
  router: AnyRouter,
): AppError | undefined {
  const names = params.path.split(',');
  // One existing procedure is enough: each call of a batch has a result of its own, so the others fail alone.
  if (!names.some((name) => hasProcedure(router, name))) return procedureNotFound(router, names);
  if (names.length > MAX_BATCH) return tooManyCalls();
  // Fastify checks the content type only if there is a body, and tRPC would respond with plain text.
  const lacksContentType = method === 'POST' && headers['content-type'] === undefined;
  return lacksContentType ? unsupportedMediaType() : undefined;
}

/** Responds like tRPC's adapter for Fastify, but fills in the long outputs that placeholders stand for (`SerializedOutputs`). */
async function respond(
  request: TrpcRequest,
  reply: FastifyReply,
  { router, createContext }: ServedRouter,
  unread: UnreadResponses,
): Promise<FastifyReply> {
  const { raw, body } = request;
  const { path } = request.params;
  let caller: RequestContext['caller'] = {};
  const trackUnread = (texts: string[]) => void unread.track(reply.raw, caller.apiKey, texts);
  const serializedOutputs = new SerializedOutputs(trackUnread);
  const subscription: { startsAfter?: string } = {};
  const response = await resolveResponse({
    router,
    path,
    // The body has already been received, within the limit.
    req: incomingMessageToRequest(Object.assign(raw, { body }), reply.raw, { maxBodySize: null }),
    error: null,
    // Reads are allowed over POST, which keeps ids out of URLs, and so out of the logs of proxies.
    allowMethodOverride: !hasSubscription(router, path),
    createContext: async ({ info }) => {
      const ctx = { ...(await createContext(request, reply)), serializedOutputs };
      caller = ctx.caller;
      if (info.type !== 'subscription') return ctx;
      const ticket = ticketOf(request, info.connectionParams);
      const sendStartPosition = (eventId: string) => {
        subscription.startsAfter = eventId;
      };
      const disconnect = () => reply.raw.destroy();
      const streamCtx = { ...ctx, ticket, sendStartPosition, disconnect };
      return withConnectionParams(streamCtx, info.connectionParams);
    },
    responseMeta: ({ errors }) => responseMeta(request, errors),
  });
  const { startsAfter } = subscription;
  if (startsAfter !== undefined) return reply.send(withStartPosition(response, startsAfter));
  // A streamed batch may get placeholders later: its outputs are not known yet.
  const mayHavePlaceholders = !serializedOutputs.isEmpty || isStreamed(request);
  const filled = mayHavePlaceholders ? serializedOutputs.fillIn(response) : response;
  // Events and the results of a streamed batch are not compressed, since each must be sent at once.
  const isCompressible = !isStreamed(request) && isJson(response);
  if (!isCompressible || !wantsGzip(request)) return reply.send(filled);
  return sendGzipped(reply, filled, mayHavePlaceholders);
}

/** Whether one of the names is a subscription, which must be opened with GET. */
const hasSubscription = (router: AnyRouter, names: string): boolean =>
  names.split(',').some((name) => typeOf(router, name) === 'subscription');

/** Whether the client accepts the results of a batch one by one. */
const isStreamed = ({ headers }: FastifyRequest): boolean =>
  `${headers['trpc-accept']},${headers.accept}`.includes('application/jsonl');

const isJson = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('application/json') ?? false;

async function sendGzipped(
  reply: FastifyReply,
  response: Response,
  asStream: boolean,
): Promise<FastifyReply> {
  const { status, headers, body } = response;
  reply.code(status).headers(Object.fromEntries(headers));
  const content =
    asStream && body
      ? compressStream(reply, Readable.fromWeb(body as NodeStream))
      : await compressText(reply, await response.text());
  return reply.send(content);
}

type NodeStream = Parameters<typeof Readable.fromWeb>[0];

/** Returns the headers of the response, including those of the first failure. tRPC takes the status from `data.httpStatus` of failures. */
function responseMeta(request: FastifyRequest, errors: unknown[]) {
  // Vary is set again, since tRPC's own Vary header would replace the one that CORS needs.
  const headers = new Headers({ 'x-request-id': request.id, vary: 'Origin' });
  const [error] = errors;
  if (!error) return { headers };
  const failure = toAppError(error);
  for (const [name, value] of Object.entries(failureHeaders(failure))) headers.set(name, value);
  // tRPC adds this header itself.
  headers.delete('allow');
  return { headers };
}
