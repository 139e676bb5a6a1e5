import type { Operations } from './client-type.ts';
import type { Connection } from './connection.ts';
import { registerTransport, Transport, type TransportOptions } from './transport.ts';

export type ClientOptions = TransportOptions;

/** A typed client: the operations of the server, and the connection that subscriptions use. */
export type CollaborationClient = Operations & {
  /** The WebSocket that all subscriptions share. It is open only while there are some. */
  readonly connection: Connection;
  /** Ends all subscriptions and waiting writes. After this, a client with a user token makes no more writes. */
  close(): void;
};

/**
 * Creates a client. Each operation is a function that takes the `data` of its REST request, and resolves
 * to the `result.data` of the response:
 *
 *     const client = createClient({ url: 'https://collaboration.example.com', token: getToken });
 *     const { data } = await client.documents.get({ organizationId: 'acme' });
 *     for await (const { data } of client.comments.changes({ organizationId, documentId })) …
 *
 * Reads that start at the same moment share a request. Calls that may succeed later are retried; all attempts of a
 * write have the same `Idempotency-Key`. Failures are `CollaborationError`s.
 */
export function createClient(options: ClientOptions): CollaborationClient {
  const transport = new Transport(options);
  const members = { connection: transport.connection, close: () => transport.close() };
  const client = operationsProxy(transport, [], members) as CollaborationClient;
  registerTransport(client, transport);
  return client;
}

/** Matches a part of an operation's name, but not names such as `__v_raw` and `$$typeof`, which frameworks look for. */
const PART_OF_NAME = /^[a-z][A-Za-z]*$/;

/**
 * Returns a proxy on which `proxy.documents.get(input, options)` calls `documents.get`.
 *
 * @param members the properties of the proxy that are not operations
 */
function operationsProxy(transport: Transport, path: string[], members: object): unknown {
  const children = new Map<string, unknown>(Object.entries(members));
  return new Proxy(() => {}, {
    get(target, name) {
      // `await` looks for `then`, and code that prints the client looks for `toJSON` or `toString`. These must not
      // become operations.
      if (typeof name !== 'string' || !PART_OF_NAME.test(name)) return undefined;
      if (name in target || name === 'then' || name === 'toJSON') return Reflect.get(target, name);
      if (!children.has(name)) children.set(name, operationsProxy(transport, [...path, name], {}));
      return children.get(name);
    },
    apply: (_target, _this, [input, options]) => transport.call(path.join('.'), input, options),
  });
}
