import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { AnyRouter } from '@trpc/server';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { acceptJsonOnly, isLargeBody } from '../api/body/json-body.ts';
import { BodyReceiver } from '../api/body/receive-body.ts';
import type { RequestContext, Services } from '../api/context.ts';
import { type AddressOf, addressReader } from '../api/credentials/client-address.ts';
import { readHeader } from '../api/credentials/headers.ts';
import { ExactPaths } from '../api/exact-paths.ts';
import type { Extension, ServedRouter } from '../api/extension.ts';
import { requestIdOf } from '../api/request-id.ts';
import { type AppError, invalidArgument } from '../platform/errors.ts';
import { DiskStore } from '../platform/files/disk-store.ts';
import type { Lifecycle } from '../platform/processes/lifecycle.ts';
import { registerHealth } from './health.ts';
import { registerMetrics } from './metrics.ts';
import { registerDocs } from './register-docs.ts';
import { registerFiles } from './register-files.ts';
import { respondToClientError } from './responses/client-errors.ts';
import { sendFailure } from './responses/send-failure.ts';
import { UnreadResponses } from './responses/unread-responses.ts';
import { operationsOf, pathsOf, registerRest } from './rest.ts';
import { registerTrpc } from './trpc.ts';

/** How long a request may take to arrive. */
const REQUEST_TIMEOUT_MS = 60_000;
/** How often during the request timeout the server checks whether a request takes too long. */
const CHECKS_PER_TIMEOUT = 12;
/** How long running requests may continue when the process stops. */
const STOP_GRACE_MS = 5_000;

const refuseSchemas = () => {
  throw new Error('Routes have no Fastify schemas.');
};
/** Keeps Fastify from loading the compilers of its own schemas, which routes do not use. */
const WITHOUT_SCHEMAS = {
  compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas },
};

/** Fastify logs no requests, since operations log them. Its other lines also have the field `requestId`. */
const LOG_CONTROLLER = new LogController({
  disableRequestLogging: true,
  requestIdLogLabel: 'requestId',
});

interface HttpOptions {
  requestTimeoutMs?: number | undefined;
  /** Further parts, such as the console. */
  extensions?: Extension[];
}

/** Creates the HTTP server: REST, tRPC, documentation, health and metrics. */
export async function createHttpServer(
  services: Services,
  router: AnyRouter,
  lifecycle: Lifecycle,
  { requestTimeoutMs: requestTimeout = REQUEST_TIMEOUT_MS, extensions = [] }: HttpOptions = {},
): Promise<FastifyInstance> {
  const { config, files } = services;
  const paths = new ExactPaths();
  // The sockets of uploads, which have a time limit of their own.
  const uploading = new WeakSet<Socket>();
  const app = createFastify(services, { router, paths, uploading, requestTimeout });
  const bodies = createBodyReceiver(app, services);
  limitConnections(app, services);
  closeWithinGrace(app, bodies, lifecycle);
  // CORS admits every origin. Each key has allowed domains, which decide whether an origin may use the key.
  await app.register(cors, {
    delegator: (request, done) => done(null, corsOptions(request)),
  });
  paths.register(app);
  // Routes receive the parsed body; in the scope of tRPC, they receive its text.
  acceptJsonOnly(app, bodies, 'value');
  registerHealth(app, lifecycle);
  if (config.metricsPort === undefined) registerMetrics(app, services);
  await registerDocs(app);
  if (config.roles.has('api')) {
    const createContext = contextFactory(services, addressReader(config.trustProxy));
    const unread = new UnreadResponses(config.bodyMemoryBytes, services.log);
    registerRest(app, router, { createContext, unread });
    if (files instanceof DiskStore) await registerFiles(app, files, uploading);
    const serveRouter = (served: ServedRouter) => registerTrpc(app, { bodies, unread }, served);
    await serveRouter({ prefix: '/trpc', router, createContext });
    for (const extend of extensions) await extend(app, services, { createContext, serveRouter });
  }
  return app;
}

interface FastifyDependencies {
  router: AnyRouter;
  paths: ExactPaths;
  uploading: WeakSet<Socket>;
  requestTimeout: number;
}

/** Creates a server without routes, which sends every failure in our envelope. */
function createFastify(
  { config, log, metrics }: Services,
  { router, paths, uploading, requestTimeout }: FastifyDependencies,
): FastifyInstance {
  const { bodyLimitBytes: bodyLimit } = config;
  const operations = new Map(
    operationsOf(router).flatMap(({ name, meta }) => pathsOf(meta).map((path) => [path, name])),
  );
  const onRejected = (status: number) => metrics.rejectedRequests.inc({ status });
  const respondWithFailure = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    sendFailure(error, request, reply, { bodyLimit, paths, operations, onRejected });
  const app = fastify({
    bodyLimit,
    loggerInstance: log as FastifyBaseLogger,
    logController: LOG_CONTROLLER,
    requestIdHeader: false,
    genReqId: requestIdOf,
    routerOptions: { maxParamLength: 8192 },
    schemaController: WITHOUT_SCHEMAS,
    // Limits the time to receive a request's head and body. Responses may take any time.
    requestTimeout,
    http: {
      // Node would respond without our envelope, so `headerProblem` checks the header instead.
      requireHostHeader: false,
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.ceil(requestTimeout / CHECKS_PER_TIMEOUT),
      // Some clients, such as Java's, offer an upgrade to HTTP/2, which is ignored: the response is HTTP/1.1.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    // Longer than the idle timeout of load balancers, which must close idle connections first.
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: respondWithFailure,
    clientErrorHandler: (error, socket) => {
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && uploading.has(socket)) return;
      respondToClientError({ log, onRejected }, error, socket);
    },
  });
  app.setErrorHandler(respondWithFailure);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    done(headerProblem(request.raw));
  });
  return app;
}

/** Creates the receiver of bodies, and lets it decide about `Expect: 100-continue`. */
function createBodyReceiver(app: FastifyInstance, { config, metrics }: Services): BodyReceiver {
  const { bodyLimitBytes: bytes, bodyMemoryBytes } = config;
  const bodies = new BodyReceiver({
    bytes,
    totalBytes: Math.max(bodyMemoryBytes, bytes),
    onAborted: () => metrics.abortedRequests.inc({ phase: 'body' }),
  });
  app.decorateRequest('bodyBytes', 0);
  // The 100 is deferred: Node would send it before any hook has run, and refused clients would send bodies in vain.
  app.server.on('checkContinue', (request, response) => {
    bodies.deferContinue(request, response);
    app.server.emit('request', request, response);
  });
  // Node would refuse any other `Expect` itself. The request is passed on, so that `headerProblem` refuses it in our envelope.
  app.server.on('checkExpectation', (request, response) =>
    app.server.emit('request', request, response),
  );
  return bodies;
}

/** Returns our own failure for headers that Node would refuse without our envelope. */
function headerProblem({ headers, httpVersion }: IncomingMessage): AppError | undefined {
  if (httpVersion === '1.1' && headers.host === undefined) {
    return invalidArgument('The request has no Host header.');
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    return invalidArgument('The header Expect supports only 100-continue.', { http: 417 });
  }
  return undefined;
}

/** Creates the server on METRICS_PORT, which serves only the metrics. */
export function createMetricsServer(services: Services): FastifyInstance {
  const { log, config } = services;
  const paths = new ExactPaths();
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: LOG_CONTROLLER,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: REQUEST_TIMEOUT_MS },
    clientErrorHandler: (error, socket) =>
      respondToClientError({ log, onRejected: () => undefined }, error, socket),
  });
  app.setErrorHandler((error, request, reply) =>
    sendFailure(error, request, reply, {
      bodyLimit: config.bodyLimitBytes,
      paths,
      operations: new Map(),
      onRejected: () => undefined,
    }),
  );
  paths.register(app);
  registerMetrics(app, services);
  return app;
}

function limitConnections({ server }: FastifyInstance, { config, log, metrics }: Services): void {
  server.maxConnections = config.maxConnections;
  server.on('drop', () => {
    metrics.refusedConnections.inc();
    log.warn({}, 'A connection was refused, because MAX_CONNECTIONS are already open.');
  });
}

/**
 * When the server closes, refuses incomplete requests at once, and closes the connections of running
 * ones after a few seconds.
 */
function closeWithinGrace(app: FastifyInstance, bodies: BodyReceiver, lifecycle: Lifecycle): void {
  app.addHook('preClose', async () => {
    bodies.close();
    // Node no longer checks timeouts while the server is closing, so this timer ends the connections.
    const deadline = setTimeout(() => app.server.closeAllConnections(), STOP_GRACE_MS);
    app.server.once('close', () => clearTimeout(deadline));
  });
  // Without this header, the connection of a running request would stay open after the response, and its
  // client would send further requests to this process.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (lifecycle.isStopping) reply.header('connection', 'close');
    done(null, payload);
  });
}

const CORS: FastifyCorsOptions = {
  origin: true,
  methods: 'GET, POST, PUT',
  exposedHeaders: 'x-request-id, retry-after, ratelimit, ratelimit-policy',
  maxAge: 86_400,
  strictPreflight: false,
};
const WITHOUT_PREFLIGHT: FastifyCorsOptions = { ...CORS, preflight: false };

/** Returns the CORS options. OPTIONS requests that are not preflights get a refusal that lists the allowed methods. */
const corsOptions = ({ headers }: FastifyRequest): FastifyCorsOptions =>
  headers['access-control-request-method'] === undefined ? WITHOUT_PREFLIGHT : CORS;

const contextFactory =
  (services: Services, addressOf: AddressOf) =>
  (request: FastifyRequest, reply: FastifyReply): RequestContext => ({
    ...services,
    requestId: request.id,
    caller: {},
    body: { unchargedBytes: request.bodyBytes, isLarge: isLargeBody(request.bodyBytes) },
    log: services.log.child({ requestId: request.id }),
    signal: abortOnDisconnect(reply, services),
    header: (name) => readHeader(request, name, services.config),
    setHeaders: (headers) => {
      if (!reply.raw.headersSent) reply.headers(headers);
    },
    address: () => addressOf(request.raw),
  });

function abortOnDisconnect({ raw }: FastifyReply, { metrics }: Services): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (raw.writableFinished) return;
    controller.abort();
    // Only clients that leave before their response begins count. Leaving a stream is normal.
    if (!raw.headersSent) metrics.abortedRequests.inc({ phase: 'operation' });
  });
  return controller.signal;
}
