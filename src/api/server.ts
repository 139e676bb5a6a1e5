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
import { failureEnvelope } from './envelope.ts';
import { acceptJsonOnly } from './json-body.ts';
import { type Health, registerOperability } from './operability.ts';
import { registerRest } from './rest.ts';
import { sendFailure } from './send-failure.ts';
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
  // A connection whose request was running when the server began to close would stay open, idle.
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close');
  });
  // Every origin may ask; whether it may use a key is decided by the key's allowed domains.
  await app.register(cors, {
    delegator: (request, done) => done(null, corsOptions(request)),
  });
  app.decorateRequest('bodyBytes', 0);
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

const corsOptions = (request: FastifyRequest) => ({
  origin: true,
  methods: ['GET', 'POST'],
  exposedHeaders: ['x-request-id', 'retry-after'],
  maxAge: 86_400,
  // Any other OPTIONS is a method like PUT: refused, with what is allowed.
  preflight: request.headers['access-control-request-method'] !== undefined,
  strictPreflight: false,
});

const contextFactory =
  (services: Services) =>
  (request: FastifyRequest, reply: FastifyReply): RequestContext => ({
    ...services,
    requestId: request.id,
    caller: {},
    body: { unchargedBytes: request.bodyBytes },
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
