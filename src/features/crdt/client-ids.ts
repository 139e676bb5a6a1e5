import { randomInt } from 'node:crypto';
import { type Doc, getState } from 'yjs';

/** The ids that Yjs chooses for clients have 32 bits, so ids from here on belong to the server alone. */
const FIRST_SERVER_CLIENT = 2 ** 32;
/** The number of ids for the server: the longest range that `randomInt` accepts. */
const SERVER_CLIENT_COUNT = 2 ** 48 - 1;

/** Returns a random Yjs client id for a change that the server makes. */
export const newServerClient = (): number => FIRST_SERVER_CLIENT + randomInt(SERVER_CLIENT_COUNT);

export const isServerClient = (client: number): boolean => client >= FIRST_SERVER_CLIENT;

/** For each Yjs client with items in an update, the clock at which its last item ends. */
export type ClientClocks = ReadonlyMap<number, number>;

/** Returns the Yjs clients whose items in an update are new to the document. */
export const clientsWithNewItems = ({ store }: Doc, clocks: ClientClocks): number[] =>
  [...clocks]
    .filter(([client, clock]) => clock > getState(store, client))
    .map(([client]) => client);
