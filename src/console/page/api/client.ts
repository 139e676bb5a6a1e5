import { createTRPCUntypedClient, httpBatchLink } from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { Mutation, Procedures, Query } from '../../../api/contract.ts';
import { bufferedFetch } from '../../../client/buffered-fetch.ts';
import { Transport, transformer } from '../../../client/transport.ts';
import type { ConsoleRouter } from '../../operations/router.ts';
import { recordCall } from './call-history.ts';

/** The beginning of the path of every call. The browser sends the session cookie with each of them. */
const BASE = '/console';
/** Calls keep the session alive for this long after the person last used the mouse or the keyboard. */
const ACTIVE_MS = 120_000;
/** How long a call waits for its response. The slowest calls, which ask models, end after 60 seconds. */
const RESPONSE_TIMEOUT_MS = 75_000;

let lastInputAt = Date.now();

for (const name of ['pointerdown', 'keydown', 'wheel']) {
  addEventListener(name, () => (lastInputAt = Date.now()), { passive: true, capture: true });
}

/** Returns a `fetch` that sends requests as the signed-in person, on behalf of an API key. */
const sendFor =
  (apiKey: string): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers);
    for (const name of ['x-svc-api-key', 'x-svc-auth-token']) headers.delete(name);
    headers.set('x-console', '1');
    headers.set('x-console-active', Date.now() - lastInputAt < ACTIVE_MS ? '1' : '0');
    if (apiKey) headers.set('x-console-api-key', apiKey);
    return fetch(input, { ...init, headers });
  };

/** Returns a function that makes a client at the first use of an API key, and later returns the same one. */
function oncePerKey<Client>(make: (apiKey: string) => Client): (apiKey: string) => Client {
  const clients = new Map<string, Client>();
  return (apiKey) => {
    const client = clients.get(apiKey) ?? make(apiKey);
    clients.set(apiKey, client);
    return client;
  };
}

/**
 * Returns the client for the operations of the API, which has the rights of the person: the session cookie takes the
 * place of credentials. Unlike a user's client, it soon gives up a write if the server cannot be reached, since
 * the person may no longer want the write when the server is back.
 */
const apiFor = oncePerKey(
  (apiKey) =>
    new Transport({
      url: `${location.origin}${BASE}`,
      apiKey,
      // The client needs some secret. `sendFor` removes it, since the cookie is the credential.
      authToken: 'the cookie',
      retries: 2,
      fetch: bufferedFetch(sendFor(apiKey), RESPONSE_TIMEOUT_MS),
    }),
);

/** Returns the client for the operations that only the console has. */
const consoleApiFor = oncePerKey((apiKey) =>
  createTRPCUntypedClient<ConsoleRouter>({
    links: [
      httpBatchLink({
        url: `${BASE}/trpc`,
        transformer,
        fetch: bufferedFetch(sendFor(apiKey), RESPONSE_TIMEOUT_MS),
      }),
    ],
  }),
);

/** Reads a nested type by a dotted name: `At<Procedures, 'crdt.versions.list'>`. */
type At<Types, Name extends string> = Name extends `${infer Head}.${infer Rest}`
  ? Head extends keyof Types
    ? At<Types[Head], Rest>
    : never
  : Name extends keyof Types
    ? Types[Name]
    : never;

type Call<Name extends string> = Name extends `console.${string}`
  ? {
      input: At<inferRouterInputs<ConsoleRouter>, Name>;
      output: At<inferRouterOutputs<ConsoleRouter>, Name>;
    }
  : At<Procedures, Name> extends
        | Query<infer Input, infer Output>
        | Mutation<infer Input, infer Output>
    ? { input: Input; output: Output }
    : never;

export type InputOf<Name extends string> = Call<Name>['input'];
export type OutputOf<Name extends string> = Call<Name>['output'];

/**
 * Calls an operation by its name: an operation of the API, such as `documents.get`, or one that only the console has,
 * such as `console.directory.find`.
 */
export function call<Name extends string>(
  apiKey: string,
  name: Name,
  input: InputOf<Name>,
  signal?: AbortSignal,
): Promise<OutputOf<Name>> {
  type Answer = Promise<OutputOf<Name>>;
  if (name.startsWith('console.')) {
    // The server accepts queries over POST as well, so all calls are sent as mutations.
    return consoleApiFor(apiKey).mutation(name, input, { signal }) as Answer;
  }
  recordCall({ apiKey, name, input });
  return apiFor(apiKey).call(name, input, { signal }) as Answer;
}
