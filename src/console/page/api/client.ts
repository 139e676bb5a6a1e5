import { createTRPCClient, httpBatchLink } from '@trpc/client';
import { type CollaborationClient, createClient } from '../../../client/index.ts';
import type { ConsoleRouter } from '../../operations/router.ts';
import { isPersonActive } from './activity.ts';

/** The client of this page. The session's cookie goes with its calls. */
const URL = '/console';

/** Sends a request as the page of the signed-in person, with an API key that it is about. */
const sendFor =
  (apiKey: string | undefined): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers);
    headers.delete('authorization');
    headers.set('x-console', '1');
    headers.set('x-console-active', isPersonActive() ? '1' : '0');
    if (apiKey !== undefined) headers.set('x-console-api-key', apiKey);
    return fetch(input, { ...init, headers });
  };

const clients = new Map<string, CollaborationClient>();

/** Returns the client for an API key: all operations of the API, with what the person may do. */
export function clientFor(apiKey: string): CollaborationClient {
  const known = clients.get(apiKey);
  if (known) return known;
  const url = `${location.origin}${URL}`;
  const client = createClient({ url, token: 'the cookie', retries: 2, fetch: sendFor(apiKey) });
  clients.set(apiKey, client);
  return client;
}

const ownApi = (apiKey: string | undefined) =>
  createTRPCClient<ConsoleRouter>({
    links: [
      httpBatchLink({
        url: `${URL}/trpc`,
        methodOverride: 'POST',
        transformer: {
          serialize: (json: unknown) => ({ json }),
          deserialize: ({ json }: { json: unknown }) => json,
        },
        fetch: sendFor(apiKey),
      }),
    ],
  }).console;

/** The operations that only the console has, such as `consoleApi.keys.list.query({})`. */
export const consoleApi = ownApi(undefined);

const ownApis = new Map<string, typeof consoleApi>();

/** The same operations about an API key, such as `events.list`. */
export function consoleApiFor(apiKey: string): typeof consoleApi {
  const known = ownApis.get(apiKey) ?? ownApi(apiKey);
  ownApis.set(apiKey, known);
  return known;
}
