import { randomInt } from 'node:crypto';
import { decodeUpdate } from 'yjs';

/** Yjs draws client ids of 32 bits. From here on they are the server's, so that no user has one. */
const FIRST_SERVER_CLIENT = 2 ** 32;
const SERVER_CLIENTS = 2 ** 48 - 1;

/** A Yjs client id for a change that the server makes. */
export const newServerClient = (): number => FIRST_SERVER_CLIENT + randomInt(SERVER_CLIENTS);

export const isServerClient = (client: number): boolean => client >= FIRST_SERVER_CLIENT;

/** For each Yjs client with items in an update the clock at which the last of them ends. */
export type ClientClocks = ReadonlyMap<number, number>;

/**
 * The greatest of each client's clocks, since a forged update may name a client twice.
 *
 * @throws Error when it is no update.
 */
export function clocksOf(update: Uint8Array): ClientClocks {
  const clocks = new Map<number, number>();
  for (const { id, length } of decodeUpdate(update).structs) {
    clocks.set(id.client, Math.max(clocks.get(id.client) ?? 0, id.clock + length));
  }
  return clocks;
}
