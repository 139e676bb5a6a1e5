import { createTRPCUntypedClient, httpLink } from '@trpc/client';
import superjson from 'superjson';
import type { Headers, Loose } from './answers.ts';
import { failureOfCall } from './operations.ts';
import type { TestServer } from './server.ts';

/** The header that only pages of the server can send. */
export const OWN_PAGE: Headers = { 'x-console': '1' };

/** Fails with what is missing, unless the page of the console was built. */
export async function requireBuiltConsole(url: string): Promise<void> {
  const response = await fetch(`${url}/console`);
  if (!response.ok) throw new Error(await response.text());
}

/** Shows credentials to the console, as its sign-in page does. */
export async function signInTo(url: string, credentials: unknown, headers: Headers = {}) {
  const response = await fetch(`${url}/console/session`, {
    method: 'POST',
    headers: { ...OWN_PAGE, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(credentials),
  });
  const { status, headers: answered } = response;
  /** The whole header of the session; undefined if there is none. */
  const setCookie = answered.getSetCookie().find((each) => /^(__Host-)?console=/.test(each));
  /** The cookie as a browser sends it back. */
  const cookie = setCookie?.split(';', 1)[0] ?? '';
  const body: Loose = await response.json();
  return { status, body, headers: answered, setCookie, cookie };
}

/** The credentials of a server, of all three kinds. */
export const credentialsOf = ({ quickstart }: TestServer) => {
  const { adminToken, workspaceId, workspaceAuthToken, apiKey, authToken } = quickstart;
  return {
    administrator: { adminToken },
    owner: { workspaceId, workspaceAuthToken },
    operator: { apiKey, authToken },
  };
};

/** The person whom the console takes for signed in; null for nobody. */
export async function signedInAs(url: string, cookie: string) {
  const response = await fetch(`${url}/console/session`, { headers: { ...OWN_PAGE, cookie } });
  return (await response.json()).signedIn;
}

export async function signOut(url: string, cookie: string): Promise<Response> {
  return fetch(`${url}/console/session`, { method: 'DELETE', headers: { ...OWN_PAGE, cookie } });
}

interface Call {
  url: string;
  cookie: string;
  apiKey?: string | undefined;
  headers?: Headers;
}

/** Calls a procedure as the page of the console does. */
export async function callConsole(
  { url, cookie, apiKey, headers = {} }: Call,
  name: string,
  type: 'query' | 'mutation',
  input: unknown,
): Promise<Loose> {
  const sent: Headers = { ...OWN_PAGE, ...headers, cookie };
  if (apiKey !== undefined) sent['x-console-api-key'] = apiKey;
  const link = httpLink({ url: `${url}/console/trpc`, headers: sent, transformer: superjson });
  const client = createTRPCUntypedClient({ links: [link] });
  return type === 'mutation' ? client.mutation(name, input) : client.query(name, input);
}

/** The failure of a call; undefined if it succeeded. */
export const consoleFailure = (...call: Parameters<typeof callConsole>) =>
  failureOfCall(callConsole(...call));
