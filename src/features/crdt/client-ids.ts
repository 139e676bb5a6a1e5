import { randomInt } from 'node:crypto';
import { type Doc, getState } from 'yjs';

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
