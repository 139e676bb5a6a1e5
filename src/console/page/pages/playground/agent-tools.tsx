import { useQuery } from '@tanstack/react-query';
import { CollaborationError } from '../../../../client/error.ts';
import { call } from '../../api/client.ts';
import { usePageKey } from '../../api/read.ts';
import { Loaded } from '../../parts/basics.tsx';
import { ADA, DEMO_DOCUMENT } from './demo-data.ts';
import { type Runnable, Workbench } from './runner.tsx';

const AGENT = { agentId: 'playground', name: 'Playground agent' };

/** Shows the tools of Ada's agent, which are called over `/mcp` with the agent's own token. */
export function AgentTools() {
  const { apiKey } = usePageKey();
  const tools = useQuery({
    queryKey: ['tools of an agent', apiKey],
    queryFn: async ({ signal }) => {
      const input = { userId: ADA.userId, agent: AGENT };
      const { token } = await call(apiKey, 'auth.generateToken', input, signal);
      const listed = await callMcp<{ tools: Tool[] }>(token, 'tools/list', {});
      return listed.tools.map((tool) => runnableOf(token, tool));
    },
    staleTime: 'static',
    gcTime: 0,
  });
  return (
    <Loaded query={tools}>
      {(runnables) => (
        <Workbench
          parameter="tool"
          label="Tool"
          first="read_document"
          note="The agent acts for Ada, with her rights. The audit log lists the token that was created for it. The activity log shows its changes."
          runnables={runnables}
        />
      )}
    </Loaded>
  );
}

interface Tool {
  name: string;
  description: string;
  inputSchema: { required?: string[] };
}

/** Describes a tool for the workbench. Its example has the demo document in the fields that the tool requires. */
const runnableOf = (token: string, { name, description, inputSchema }: Tool): Runnable => {
  const { required = [] } = inputSchema;
  const known: Record<string, string> = DEMO_DOCUMENT;
  return {
    name,
    description: description.replaceAll('`', ''),
    example: Object.fromEntries(required.map((field) => [field, known[field] ?? ''])),
    run: async (input) => {
      // There is no structured content if the tool failed.
      type Answer = { structuredContent?: unknown };
      const params = { name, arguments: input };
      const { structuredContent, ...rest } = await callMcp<Answer>(token, 'tools/call', params);
      return structuredContent ?? rest;
    },
  };
};

/** Sends a request of the Model Context Protocol. The response is JSON, or a stream with JSON as its only event. */
async function callMcp<Result>(token: string, method: string, params: object): Promise<Result> {
  const response = await fetch('/mcp', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = await response.text();
  const { result, error } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
  if (!error) return result;
  const { message, data: { status = 'INTERNAL', details = {} } = {} } = error;
  throw new CollaborationError({ message, status, httpStatus: response.status, details });
}
