import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import type { RequestContext } from '../api/context.ts';
import type { AgentCaller } from './agent-context.ts';
import { agentApi } from './operations/router.ts';
import { ListenMessage, openResourceStream } from './resource-stream.ts';
import { createAgentServer } from './server.ts';
import type { AgentCall } from './tool.ts';

/** Creates the server of a request. Each request has its own, which acts for the user of the request. */
const factory: McpServerFactory = ({ authInfo, era }) =>
  createAgentServer(authInfo?.extra?.call as AgentCall, era);

const handler = createMcpHandler(factory);

/** Responds to an agent's request, whose token has already been checked. */
export function serveAgent(
  ctx: RequestContext,
  { body, headers }: FastifyRequest,
  caller: AgentCaller,
): Promise<Response> {
  const call: AgentCall = { ...caller, ctx, operations: agentApi.createCaller(ctx) };
  const { agent, token, expiresAt } = caller;
  const authInfo = { token, clientId: agent.agentId, scopes: [], expiresAt, extra: { call } };
  const request = new Request(new URL('/mcp', ctx.config.publicUrl), {
    method: 'POST',
    headers: Object.entries(headers).flatMap(
      ([name, value]): Array<[string, string]> =>
        value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
    signal: ctx.signal,
  });
  // `openResourceStream` checks access to the followed documents, which the library's handler would not do.
  const message = ListenMessage.safeParse(body).data;
  if (message) return openResourceStream({ call, factory, authInfo }, message, request);
  return handler.fetch(request, { parsedBody: body, authInfo });
}
