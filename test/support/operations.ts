import { createTRPCUntypedClient, httpLink, TRPCClientError } from '@trpc/client';
import superjson from 'superjson';
import { definitionOf, proceduresOf } from '../../src/api/trpc-internals.ts';
import { appRouter } from '../../src/features/index.ts';
import { type Operation, operationsOf } from '../../src/server/rest.ts';
import type { Headers } from './answers.ts';
import type { Answer, TestServer } from './server.ts';

/** Every operation of the product, so that new ones are tested without an edit. */
export const operations: Operation[] = operationsOf(appRouter);

/** Its subscriptions, by their names. */
export const subscriptions = proceduresOf(appRouter).filter(
  ([, procedure]) => definitionOf(procedure).type === 'subscription',
);

/** The operations with their names, for `describe.each`. */
export const eachOperation = operations.map((operation) => ({ name: operation.name, operation }));

export function operationOf(name: string): Operation {
  const found = operations.find((operation) => operation.name === name);
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
}

/** The credentials that an operation requires. */
export function headersFor(server: TestServer, { meta }: Operation): Headers {
  const headers = {
    admin: server.adminHeaders,
    workspace: server.workspaceHeaders,
    apiKey: server.keyHeaders,
  };
  return headers[meta.level];
}

/** A failure over REST or tRPC. */
export interface SeenFailure {
  http: number;
  status: string;
  message: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into details of every shape
  details: any;
}

/** The failure of a REST call; undefined if it succeeded. */
export function restFailure({ status, body }: Answer): SeenFailure | undefined {
  if (!body?.error) return undefined;
  const { code, status: name, message, details } = body.error;
  if (code !== status) throw new Error(`error.code is ${code} in an answer with HTTP ${status}.`);
  return { http: status, status: name, message, details };
}

/** Calls an operation as typed clients do. */
export async function callTrpc(
  url: string,
  { name, procedure }: Operation,
  input: unknown,
  headers: Headers,
): Promise<unknown> {
  const client = createTRPCUntypedClient({
    links: [httpLink({ url: `${url}/trpc`, headers, transformer: superjson })],
  });
  return procedure._def.type === 'mutation'
    ? client.mutation(name, input)
    : client.query(name, input);
}

/** The failure of a tRPC call; undefined if it succeeded. */
export const trpcFailure = (...call: Parameters<typeof callTrpc>) =>
  failureOfCall(callTrpc(...call));

/** The failure of a call of tRPC's client; undefined if it succeeded. */
export async function failureOfCall(calling: Promise<unknown>): Promise<SeenFailure | undefined> {
  try {
    await calling;
    return undefined;
  } catch (error) {
    if (!(error instanceof TRPCClientError) || !error.data) throw error;
    const { status, httpStatus, details } = error.data;
    return { http: httpStatus, status, message: error.message, details };
  }
}
