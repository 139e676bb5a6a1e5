import { Connection, type Document } from '@hocuspocus/server';
import type { AgentIdentity } from '../api/fields.ts';
import type { Opened, StreamCaller } from '../api/subscriptions/stream-caller.ts';
import type { KnownPerson } from '../features/users/known-people.ts';
import type { AppError, Status } from '../platform/errors.ts';
import { closeEventFor, closeEventOfFailure } from './refusal.ts';
import type { DocumentChannel } from './sockets/document-channel.ts';

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
  /** When a new token was last requested from the client. Unix seconds. */
  tokenRequestedAt?: number;
  /** When the grant of the role expires, if it does. Unix seconds. */
  accessExpiresAt: number | undefined;
  /** Whether the user had a grant on connecting, and not only access to a public document. */
  readonly hasGrant: boolean;
  isEditor: boolean;
  /** Whether the storage quota of the key is used up, so that editors may only read. */
  isStorageUsedUp: boolean;
  /** The edits that are not confirmed to the client yet. */
  unconfirmed?: UnconfirmedEdits;
  /** Whether the client was asked for its state (sync step 2), and has not sent it yet. */
  owesState?: boolean;
  /** How many changes of access this process had seen when role and profile were loaded. */
  accessChanges: number;
}

interface UnconfirmedEdits {
  count: number;
  /** For each Yjs client, the clock at which its items in these edits end. */
  clocks: Map<number, number>;
  /** Whether these edits are checked again after the next change of the document. */
  isWatching?: boolean;
}

export const mayOnlyRead = ({ isEditor, isStorageUsedUp }: Session): boolean =>
  !isEditor || isStorageUsedUp;

/**
 * The connection of a user to an open document. Its messages have the address that the client uses:
 * Hocuspocus would use the key of the document, which includes the tenant.
 */
export class LiveConnection
  extends Connection<{ channel: DocumentChannel; session: Session }>
  implements Opened
{
  constructor(document: Document, channel: DocumentChannel, session: Session) {
    super(channel.socket, NO_REQUEST, document, '', { channel, session }, mayOnlyRead(session));
  }

  get channel(): DocumentChannel {
    return this.context.channel;
  }

  get session(): Session {
    return this.context.session;
  }

  /** The credentials, which `renewToken` may replace. Only user tokens open a document, so there is no `tokenHash`. */
  get caller(): StreamCaller {
    const { userId, tokenEra, tokenExpiresAt: tokenEndsAt, origin } = this.session;
    const { tenantId } = this.channel.name;
    return { tenantId, userId, tokenEra, tokenEndsAt, tokenHash: undefined, origin };
  }

  end(failure: AppError): void {
    this.close(closeEventOfFailure(failure));
  }

  override get messageAddress(): string {
    return this.channel.address;
  }

  override send(message: Uint8Array): void {
    this.channel.send(message);
  }

  /**
   * Closes the connection for a status. Clients take this as final, and reconnect only when their socket is
   * closed, so the whole socket is closed where reconnecting may help.
   */
  closeFor(status: Status): void {
    const { code, reason } = closeEventFor(status);
    if (status === 'UNAVAILABLE') this.channel.socket.close(code, reason);
    this.close({ code, reason });
  }

  /** Whether messages of the client may still have an effect. Its socket may already be closed. */
  get isOpen(): boolean {
    return this.document.hasConnection(this);
  }
}

/** Hocuspocus passes the request of a connection to hooks, none of which reads it. */
const NO_REQUEST = { url: '', headers: new Headers() } as Request;

/** Returns the connections to a document. The cast is safe, since `Connections` has opened all of them. */
export const connectionsTo = (document: Document): LiveConnection[] =>
  document.getConnections() as LiveConnection[];

/** Returns the connections to all of these documents. */
export const connectionsToAll = (opened: Iterable<{ document: Document }>): LiveConnection[] =>
  [...opened].flatMap(({ document }) => connectionsTo(document));
