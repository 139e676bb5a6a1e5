import type { LocalTransactionOrigin } from '@hocuspocus/server';
import type { AgentIdentity } from '../api/fields.ts';
import type { KnownPerson } from '../features/users/known-people.ts';
import type { TenantSocket } from './sockets/tenant-socket.ts';

/** The user of a connection to a document, with the access that was granted. */
export interface Session {
  userId: string;
  /** The user's profile, which others in the document see. */
  person: KnownPerson;
  /** The agent that the token was made for. */
  agent: AgentIdentity | undefined;
  /** The `Origin` header of the connection, if it had one. */
  origin: string | undefined;
  /** The era of the user token (user-tokens.ts). */
  tokenEra: string;
  /** Unix seconds. */
  tokenExpiresAt: number;
  /** When the client was last asked for a new token. Unix seconds. */
  tokenAskedAt?: number;
  /** When the grant of the role expires, if it does. Unix seconds. */
  accessExpiresAt: number | undefined;
  /** Whether the user has a grant, and not only access to a public document. */
  hasGrant: boolean;
  isEditor: boolean;
  /** Whether the storage quota of the key is used up, so that editors may only read. */
  isStorageUsedUp: boolean;
  /** How many edits are not confirmed yet, and the clocks at which the items of each client end. */
  unconfirmed?: { count: number; clocks: Map<number, number> };
  /** Whether the client was asked for its state (sync step 2), and has not sent it yet. */
  owesState?: boolean;
  /** How many changes of access this process had seen when role and profile were loaded. */
  accessChanges: number;
}

/** The context that Hocuspocus passes on. Sockets have all but `committed`. */
export interface LiveContext {
  socket?: TenantSocket;
  /** The client's IP address. */
  address?: string;
  session?: Session;
  /** Marks a change that the database holds already, and that must not be logged again. */
  committed?: true;
}

/** The transaction origin of changes from the database. */
export const COMMITTED: LocalTransactionOrigin = { source: 'local', context: { committed: true } };
