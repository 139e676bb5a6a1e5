import { randomInt } from 'node:crypto';
import { ContentDoc, decodeUpdate, Item } from 'yjs';
import { valuesIn, weightOf } from './worker/value-weight.ts';

/** Yjs draws client ids of 32 bits. From here on they are the server's, so that no user has one. */
const FIRST_SERVER_CLIENT = 2 ** 32;
const SERVER_CLIENTS = 2 ** 48 - 1;

/** A Yjs client id for a change that the server makes. */
export const newServerClient = (): number => FIRST_SERVER_CLIENT + randomInt(SERVER_CLIENTS);

export const isServerClient = (client: number): boolean => client >= FIRST_SERVER_CLIENT;

/** For each Yjs client with items in an update the clock at which the last of them ends. */
export type ClientClocks = ReadonlyMap<number, number>;

/** What there is to know of an update before it is applied. */
export interface UpdateFacts {
  clocks: ClientClocks;
  /** Where it names other documents. */
  subdocuments: ItemId[];
  /** The most values that one of its items holds in one piece, which is read and written in one go. */
  heaviest: number;
}

interface ItemId {
  client: number;
  clock: number;
}

/**
 * Clocks are the greatest of each client's, since a forged update may name a client twice.
 *
 * @throws Error when it is no update, or holds a value that is too deep.
 */
export function factsOf(update: Uint8Array): UpdateFacts {
  const clocks = new Map<number, number>();
  const subdocuments: ItemId[] = [];
  let heaviest = 0;
  for (const struct of decodeUpdate(update).structs) {
    const { client, clock } = struct.id;
    clocks.set(client, Math.max(clocks.get(client) ?? 0, clock + struct.length));
    if (struct instanceof Item && struct.content instanceof ContentDoc) {
      subdocuments.push({ client, clock });
    }
    for (const value of valuesIn(struct)) heaviest = Math.max(heaviest, weightOf(value));
  }
  return { clocks, subdocuments, heaviest };
}
