import type { AuthInfo, McpHttpHandler, McpServerFactory } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext, Services } from '../api/context.ts';
import { HEADERS } from '../api/credentials/headers.ts';
import type { ExtensionMeans } from '../api/extension.ts';
import { authenticateKey } from '../api/middleware/authenticate.ts';
import { failureHeaders, publicFailure } from '../api/responses/envelope.ts';
import { toAppError } from '../api/responses/failures.ts';
import { AppError } from '../platform/errors.ts';
import { requireAgent } from './agent-context.ts';
import { consumeCall } from './budgets.ts';
import { type Library, loadLibrary } from './library.ts';
import { ListenRequest, listen } from './listen.ts';
import { agentApi } from './operations/router.ts';
import { requireKnownHost } from './require-known-host.ts';
import { createAgentServer } from './server.ts';
import type { AgentCall } from './tool.ts';

const PATH = '/mcp';

/**
 * Serves the Model Context Protocol at `/mcp`: revision 2026-07-28, without sessions, and calls of
 * older clients. An agent acts for the user of its token; tools call operations like any client.
 */
export function registerMcp(
  app: FastifyInstance,
  services: Services,
  { createContext }: Pick<ExtensionMeans, 'createContext'>,
): void {
  let protocol: Promise<Protocol> | undefined;
  app.post(PATH, async (request, reply) => {
    const ctx = createContext(request, reply);
    try {
      requireKnownHost(request, services.config.publicUrl);
      const { call, authInfo } = await authenticate(ctx);
      await consumeCall(services, call);
      protocol ??= loadLibrary().then((library) => protocolOf(library, ctx));
      const response = await serve(await protocol, request, { call, authInfo });
      return reply.header('cache-control', 'no-store').send(response);
    } catch (error) {
      return refuse(request, reply, toAppError(error));
    }
  });
}

interface Protocol {
  library: Library;
  factory: McpServerFactory;
  handler: McpHttpHandler;
}

function protocolOf(library: Library, { log }: Pick<Services, 'log'>): Protocol {
  const factory: McpServerFactory = ({ authInfo }) =>
    createAgentServer(library, authInfo?.extra?.call as AgentCall);
  const onerror = (err: Error) => log.info({ err }, 'A request of an agent was refused.');
  return { library, factory, handler: library.createMcpHandler(factory, { onerror }) };
}

interface Authenticated {
  call: AgentCall;
  authInfo: AuthInfo;
}

async function authenticate(ctx: RequestContext): Promise<Authenticated> {
  const token = /^Bearer (\S+)$/i.exec(ctx.header(HEADERS.authorization) ?? '')?.[1];
  if (token === undefined) throw tokenMissing(ctx);
  const credentials = await authenticateKey(ctx, true);
  const caller = requireAgent(credentials);
  ctx.caller.apiKey = caller.tenantId;
  const call = { ...caller, ctx, operations: agentApi.createCaller(ctx) };
  const { expiresAt = 0 } = credentials.claims ?? {};
  const clientId = caller.agent.agentId;
  return { call, authInfo: { token, clientId, scopes: [], expiresAt, extra: { call } } };
}

/** An API key is told why it is not enough; without credentials, clients expect 401. */
function tokenMissing(ctx: RequestContext): AppError {
  if (ctx.header(HEADERS.authToken) !== undefined)
    requireAgent({ tenantId: '', userId: undefined });
  return new AppError(
    'PERMISSION_DENIED',
    'Send "authorization: Bearer <user token>", with a token that auth.generateToken made for this agent.',
    { http: 401 },
  );
}

function serve(
  { library, factory, handler }: Protocol,
  { body, headers }: FastifyRequest,
  { call, authInfo }: Authenticated,
): Promise<Response> {
  const { ctx } = call;
  const sent = Object.entries(headers).flatMap(
    ([name, value]): Array<[string, string]> =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
  );
  const signal = ctx.signal ?? new AbortController().signal;
  const url = new URL(PATH, ctx.config.publicUrl);
  const request = new Request(url, { method: 'POST', headers: sent, signal });
  const asked = ListenRequest.safeParse(body);
  if (asked.success) return listen({ library, call, factory, authInfo }, asked.data, request);
  return handler.fetch(request, { parsedBody: body, authInfo });
}

/** JSON-RPC's code for failures that are the server's own. */
const SERVER_ERROR = -32_000;

/** Refuses a request before the protocol reads it: the credentials, the host, or the budget. */
function refuse({ id, body }: FastifyRequest, reply: FastifyReply, failure: AppError) {
  const { message, ...data } = publicFailure(failure, id);
  const isUnauthorized = failure.http === 401 || failure.credentialsReason !== undefined;
  if (isUnauthorized) reply.header('www-authenticate', 'Bearer');
  const { id: asked } = (body ?? {}) as { id?: unknown };
  return reply
    .code(isUnauthorized ? 401 : failure.http)
    .headers(failureHeaders(failure))
    .send({
      jsonrpc: '2.0',
      id: typeof asked === 'string' || typeof asked === 'number' ? asked : null,
      error: { code: SERVER_ERROR, message, data },
    });
}
