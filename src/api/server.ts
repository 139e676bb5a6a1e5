import type { Socket } from 'node:net';
import cors from '@fastify/cors';
import type { AnyRouter } from '@trpc/server';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { AppError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { RequestContext, Services } from './context.ts';
import { registerDocs } from './docs.ts';
import { failureEnvelope, failureHeaders, logLevelOf } from './envelope.ts';
import { toAppError } from './failures.ts';
import { acceptJsonOnly, unsupportedMediaType } from './json-body.ts';
import { type Health, registerOperability } from './operability.ts';
import { registerRest } from './rest.ts';
import { registerTrpc } from './trpc.ts';

/** What a request may call itself: up to 128 visible ASCII characters. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** The HTTP side: REST, tRPC, documents for readers, and what operators look at. */
export async function createHttpServer(
  services: Services,
  router: AnyRouter,
  health: Health,
): Promise<FastifyInstance> {
  const app = fastify({
    bodyLimit: services.config.bodyLimitBytes,
    loggerInstance: services.log as FastifyBaseLogger,
    // Operations log themselves, with what matters of them.
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    routerOptions: { maxParamLength: 8192 },
    // Longer than the idle time of the load balancers in front, which must be first to close.
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => sendFailure(error, request, reply),
    clientErrorHandler: (error, socket) => refuseRaw(error, socket),
  });
  app.setErrorHandler((error, request, reply) => sendFailure(error, request, reply));
  app.setNotFoundHandler(() => {
    throw new AppError('NOT_FOUND', 'There is nothing at this path.');
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
  });
  // Every origin may ask; whether it may use a key is decided by the key's allowed domains.
  await app.register(cors, {
    origin: true,
    methods: ['GET', 'POST'],
    exposedHeaders: ['x-request-id', 'retry-after'],
    maxAge: 86_400,
    strictPreflight: false,
  });
  acceptJsonOnly(app, 'value');
  registerOperability(app, services, health);
  await registerDocs(app);
  if (services.config.roles.has('api')) {
    const createContext = contextFactory(services);
    registerRest(app, router, createContext);
    await registerTrpc(app, router, createContext);
  }
  return app;
}

const contextFactory =
  (services: Services) =>
  (request: FastifyRequest, reply: FastifyReply): RequestContext => ({
    ...services,
    requestId: request.id,
    caller: {},
    log: services.log.child({ requestId: request.id }),
    signal: abortWhenCallerLeaves(reply),
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
  });

function abortWhenCallerLeaves(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

const requestId = (header: string | string[] | undefined): string =>
  typeof header === 'string' && REQUEST_ID.test(header) ? header : newId();

/** Failures before or outside an operation: unknown path, bad JSON, too large a body. */
function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toAppError(fromFastify(error));
  request.log[logLevelOf(failure)](
    {
      requestId: request.id,
      path: request.url.split('?')[0],
      status: failure.http,
      err: failure.cause,
    },
    failure.message,
  );
  return reply
    .code(failure.http)
    .header('x-request-id', request.id)
    .headers(failureHeaders(failure))
    .send(failureEnvelope(failure, request.id));
}

function fromFastify(error: unknown): unknown {
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedMediaType();
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new AppError('INVALID_ARGUMENT', 'The body is too large.', { http: 413 });
  }
  const isCallers = statusCode !== undefined && statusCode >= 400 && statusCode < 500;
  return isCallers && !(error instanceof AppError)
    ? new AppError('INVALID_ARGUMENT', 'The request is not valid.', { cause: error })
    : error;
}

/** What is no HTTP at all gets our envelope too, written by hand since there is no reply. */
function refuseRaw(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const failure = new AppError('INVALID_ARGUMENT', 'The request is not valid HTTP.');
  const body = JSON.stringify(failureEnvelope(failure, newId()));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
