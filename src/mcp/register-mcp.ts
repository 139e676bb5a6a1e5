import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext, Services } from '../api/context.ts';
import { isOwnHost } from '../api/credentials/client-address.ts';
import { bearerToken, HEADERS } from '../api/credentials/headers.ts';
import type { ExtensionDependencies } from '../api/extension.ts';
import { authenticateKey } from '../api/middleware/authenticate.ts';
import { failureHeaders, publicFailure } from '../api/responses/envelope.ts';
import { toAppError } from '../api/responses/failures.ts';
import { AppError, invalidArgument } from '../platform/errors.ts';
import { FREE_JSON, jsonProblem } from '../platform/json.ts';
import { type AgentCaller, apiKeyRefused, requireAgent } from './agent-context.ts';
import { budgetKey } from './budgets.ts';

/**
 * Serves the Model Context Protocol at `/mcp`: revision 2026-07-28, without sessions, and calls from
 * older clients. An agent acts for the user of its token. Its tools call operations like any other client.
 */
export function registerMcp(
  app: FastifyInstance,
  services: Services,
  { createContext }: Pick<ExtensionDependencies, 'createContext'>,
): void {
  app.post('/mcp', async (request, reply) => {
    const ctx = createContext(request, reply);
    try {
      requireKnownHost(request, services.config.publicUrl);
      const caller = await authenticate(ctx);
      await services.agentLimits.calls.consume(budgetKey(caller));
      requireOneSmallRequest(request.body);
      // The protocol and the tools are loaded with the first request, so that the server starts without them.
      const { serveAgent } = await import('./serve-agent.ts');
      const response = await serveAgent(ctx, request, caller);
      return reply.header('cache-control', 'no-store').send(response);
    } catch (error) {
      return refuse(request, reply, toAppError(error));
    }
  });
}

async function authenticate(ctx: RequestContext): Promise<AgentCaller> {
  const token = bearerToken(ctx.header(HEADERS.authorization));
  if (token === undefined) throw tokenMissing(ctx);
  const credentials = await authenticateKey(ctx, true);
  const caller = requireAgent(credentials);
  ctx.caller.apiKey = caller.tenantId;
  return { ...caller, token, expiresAt: credentials.claims?.expiresAt ?? 0 };
}

/** Returns the failure for a request without a token: 401, as clients expect, unless the request has an API key. */
function tokenMissing(ctx: RequestContext): AppError {
  if (ctx.header(HEADERS.authToken) !== undefined) return apiKeyRefused();
  return new AppError(
    'PERMISSION_DENIED',
    'Send "authorization: Bearer <user token>", with a token that auth.generateToken made for this agent.',
    { http: 401 },
  );
}

/**
 * Refuses batches, which would count as one call, and large objects: the library takes half a second for an
 * object with 100,000 fields.
 *
 * @throws INVALID_ARGUMENT
 */
function requireOneSmallRequest(body: unknown): void {
  const problem = Array.isArray(body)
    ? 'is a batch: send one request at a time'
    : jsonProblem(body ?? null, FREE_JSON);
  if (problem) throw invalidArgument(`The request ${problem}.`);
}

/** JSON-RPC's code for failures that a server defines itself. */
const SERVER_ERROR = -32_000;

/** Responds to a request that is refused before the protocol reads it: for its credentials, host, budget or size. */
function refuse({ id, body }: FastifyRequest, reply: FastifyReply, failure: AppError) {
  const { message, ...data } = publicFailure(failure, id);
  const isUnauthorized = failure.http === 401 || failure.credentialsReason !== undefined;
  if (isUnauthorized) reply.header('www-authenticate', 'Bearer');
  const { id: rpcId } = (body ?? {}) as { id?: unknown };
  return reply
    .code(isUnauthorized ? 401 : failure.http)
    .headers(failureHeaders(failure))
    .send({
      jsonrpc: '2.0',
      id: typeof rpcId === 'string' || typeof rpcId === 'number' ? rpcId : null,
      error: { code: SERVER_ERROR, message, data },
    });
}

/**
 * Admits only requests to the public address, an IP address or `localhost`, and only from pages there.
 * The owner of any other name could point that name at this machine (DNS rebinding).
 *
 * @throws PERMISSION_DENIED
 */
function requireKnownHost({ headers }: FastifyRequest, publicUrl: string): void {
  const { host = '', origin } = headers;
  const addresses = [`http://${host}`, ...(origin === undefined ? [] : [origin])];
  const publicHost = hostnameOf(publicUrl);
  const isKnown = (name: string) => name === publicHost || (name !== '' && isOwnHost(name));
  if (addresses.map(hostnameOf).every(isKnown)) return;
  throw new AppError(
    'PERMISSION_DENIED',
    `Agents reach this server only at ${new URL('/mcp', publicUrl)}. If this is not the server's address, set PUBLIC_URL. Proxies must pass on the header Host.`,
  );
}

/** The host name without the port, which proxies may leave out; empty for an invalid address. */
const hostnameOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).hostname : '';
