import { randomInt } from 'node:crypto';
import { ContentDoc, type Doc, decodeUpdate, getState, Item } from 'yjs';
import { valuesIn, weightOf } from './value-weight.ts';

/** Yjs draws client ids of 32 bits, so ids from here on belong to the server alone. */
const FIRST_SERVER_CLIENT = 2 ** 32;
/** The longest range that `randomInt` accepts. */
const SERVER_CLIENTS = 2 ** 48 - 1;

/** Returns a random Yjs client id for a change that the server makes. */
export const newServerClient = (): number => FIRST_SERVER_CLIENT + randomInt(SERVER_CLIENTS);

export const isServerClient = (client: number): boolean => client >= FIRST_SERVER_CLIENT;

/** The clock at which the last item ends, for each Yjs client with items in an update. */
export type ClientClocks = ReadonlyMap<number, number>;

/** Returns the clients of an update with items that the document lacks. */
export const clientsWithNewItems = ({ store }: Doc, clocks: ClientClocks): number[] =>
  [...clocks]
    .filter(([client, clock]) => clock > getState(store, client))
    .map(([client]) => client);

/** Facts about an update that are checked before it is applied. */
export interface UpdateFacts {
  clocks: ClientClocks;
  /** The items that embed other documents. */
  subdocuments: ItemId[];
  /** The weight of the heaviest value (value-weight.ts): Yjs reads and writes a value without a pause. */
  heaviest: number;
}

interface ItemId {
  client: number;
  clock: number;
}

/**
 * Reads the facts of an update. The greatest clock of each client counts, since a forged update may
 * name a client twice.
 *
 * @throws Error when the update is malformed, or a value is nested too deeply.
 */
export function readUpdateFacts(update: Uint8Array): UpdateFacts {
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
