import type { Operations } from './client-type.ts';
import type { Connection } from './connection.ts';
import { registerTransport, Transport, type TransportOptions } from './transport.ts';

export type ClientOptions = TransportOptions;

/** The typed client of a server: its operations, and the connection of its subscriptions. */
export type CollaborationClient = Operations & {
  /** The WebSocket that all subscriptions share. It is open only while there are some. */
  readonly connection: Connection;
  /** Ends all subscriptions, and the wait of writes for the server. A closed client of a user makes no writes. */
  close(): void;
};

/**
 * Creates the client. Each operation is a function of the `data` of its REST request, which resolves
 * to the `result.data` of the answer:
 *
 *     const client = createClient({ url: 'https://collaboration.example.com', token: getToken });
 *     const { data } = await client.documents.get({ organizationId: 'acme' });
 *     for await (const { data } of client.comments.changes({ organizationId, documentId })) …
 *
 * Reads at the same moment share a request. Calls that may succeed later are repeated, writes under one
 * `Idempotency-Key`. Failures are `CollaborationError`s.
 */
export function createClient(options: ClientOptions): CollaborationClient {
  const transport = new Transport(options);
  const members = { connection: transport.connection, close: () => transport.close() };
  const client = operationsProxy(transport, [], members) as CollaborationClient;
  registerTransport(client, transport);
  return client;
}

/** A part of an operation's name. Frameworks look for properties such as `__v_raw` and `$$typeof`, which are no operations. */
const PART_OF_NAME = /^[a-z][A-Za-z]*$/;

/**
 * Returns a proxy on which `proxy.documents.get(input, options)` calls `documents.get`.
 *
 * @param members the properties of the proxy that are no operations
 */
function operationsProxy(transport: Transport, path: string[], members: object): unknown {
  const children = new Map<string, unknown>(Object.entries(members));
  return new Proxy(() => {}, {
    get(target, name) {
      // `await` would call `then`, and whatever prints the client would call `toJSON` or `toString`.
      if (typeof name !== 'string' || !PART_OF_NAME.test(name)) return undefined;
      if (name in target || name === 'then' || name === 'toJSON') return Reflect.get(target, name);
      if (!children.has(name)) children.set(name, operationsProxy(transport, [...path, name], {}));
      return children.get(name);
    },
    apply: (_target, _this, [input, options]) => transport.call(path.join('.'), input, options),
  });
}
