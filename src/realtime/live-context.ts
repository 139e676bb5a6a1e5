import type { LocalTransactionOrigin } from '@hocuspocus/server';
import type { AgentIdentity } from '../api/fields.ts';
import type { KnownPerson } from '../features/users/known-people.ts';
import type { TenantSocket } from './sockets/tenant-socket.ts';

/** Who uses a connection to a document, and until when. */
export interface Session {
  userId: string;
  /** What is known of the user, and shown to others in the document. */
  person: KnownPerson;
  /** The agent that the token was made for. */
  agent: AgentIdentity | undefined;
  /** The web page that it came from, if it came from one. */
  origin: string | undefined;
  /** In which the user token is good. */
  era: string;
  /** Unix seconds. */
  tokenExpiresAt: number;
  /** When the grant that gave the role ends, if it does. Unix seconds. */
  accessExpiresAt: number | undefined;
  /** Whether there is a grant, and not only a document that is public. */
  hasRole: boolean;
  isEditor: boolean;
  /** Whether the key has no room for what editors write: they may only read then. */
  isStorageUsedUp: boolean;
  /** How many changes of access this process had seen when the role was looked up. */
  asOf: number;
}

/** What Hocuspocus carries along: for sockets `socket`, `address` and `session`. */
export interface LiveContext {
  socket?: TenantSocket;
  /** Where the socket comes from. */
  address?: string;
  session?: Session;
  /** The change is in the database already, and must not be written to the log again. */
  committed?: true;
}

/** The origin of what comes from the database. */
export const COMMITTED: LocalTransactionOrigin = { source: 'local', context: { committed: true } };
