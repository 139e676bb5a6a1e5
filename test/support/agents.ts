import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Loose } from './answers.ts';
import type { TestServer } from './server.ts';
import { whenTestEnds } from './when-file-ends.ts';

export const REVIEWER = { agentId: 'reviewer', name: 'Reviewer' };

/** A token with which an agent acts for a user with these roles. */
export async function agentToken(
  server: TestServer,
  userId: string,
  resources: object[],
  { headers = server.keyHeaders, agent = REVIEWER, name = userId } = {},
): Promise<string> {
  const input = {
    userId,
    userProperties: { name, email: `${userId}@example.com` },
    permissions: { resources },
    agent,
  };
  return (await server.ok('/v2/auth/generate_token', input, headers)).token;
}

/** A client of the protocol; by default of its newest revision. */
export async function connectAgent(
  { url }: Pick<TestServer, 'url'>,
  token: string,
  mode: 'legacy' | { pin: string } = { pin: '2026-07-28' },
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${token}` };
  const options = { requestInit: { headers } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), options));
  whenTestEnds(() => client.close());
  return client;
}

/** Calls a tool, and returns what it gives to programs. A failure is thrown with its text. */
export async function callTool(client: Client, name: string, input: object) {
  const result = await client.callTool({ name, arguments: { ...input } });
  if (result.isError) throw new Error(textOf(result));
  return result.structuredContent as Loose;
}

const textOf = ({ content }: { content?: unknown }): string =>
  (content as Array<{ text?: string }>).map(({ text = '' }) => text).join('\n');
