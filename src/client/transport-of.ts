import type { Transport } from './transport.ts';

const transports = new WeakMap<object, Transport>();

/** Remembers the transport of a client for the other parts of this package. */
export function keepTransport(client: object, transport: Transport): void {
  transports.set(client, transport);
}

/** @throws for an object that `createClient` did not make */
export function transportOf(client: object): Transport {
  const transport = transports.get(client);
  if (!transport) throw new TypeError('This is not a client of createClient.');
  return transport;
}
