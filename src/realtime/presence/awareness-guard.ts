import type { Document } from '@hocuspocus/server';
import { shownClients } from '../hocuspocus-internals.ts';
import { connectionsTo, type LiveConnection } from '../live-connection.ts';
import type { State } from './awareness-identity.ts';

/** The most clients of a document whose users are remembered. */
const MAX_REMEMBERED = 10_000;

/** A Yjs client whose awareness a connection would show on behalf of its user. */
export interface ShownClient {
  document: Document;
  connection: LiveConnection;
  clientId: number;
  userId: string;
}

/** Remembers which user has shown each Yjs client of open documents, and decides who may show it. */
export class AwarenessGuard {
  readonly #usersByDocument = new WeakMap<Document, Map<number, string>>();

  /**
   * Claims a Yjs client for the user of a connection, and returns whether the connection may show it. The
   * same user may take over a client: it may reconnect before its old connection is known to be closed.
   */
  claim(shown: ShownClient): boolean {
    const { document, connection, clientId, userId } = shown;
    if (shownClients(document, connection).has(clientId)) return true;
    if (!this.#mayShow(shown)) return false;
    for (const other of connectionsTo(document)) shownClients(document, other).delete(clientId);
    shownClients(document, connection).add(clientId);
    this.#remember(document, clientId, userId);
    return true;
  }

  /** Whether a Yjs client id belongs to another user who is or was present. */
  isShownByAnother(shown: ShownClient): boolean {
    const user = this.#userOf(shown);
    if (user !== undefined) return user !== shown.userId;
    const userIds = userIdsIn(presentState(shown) ?? {});
    return userIds.length > 0 && !userIds.includes(shown.userId);
  }

  /** Whether a user may show a client. A client that another process shows belongs to the user in its state. */
  #mayShow(shown: ShownClient): boolean {
    const user = this.#userOf(shown);
    if (user !== undefined) return user === shown.userId;
    const state = presentState(shown);
    return state === undefined || userIdsIn(state).includes(shown.userId);
  }

  #userOf({ document, clientId }: ShownClient): string | undefined {
    return this.#usersByDocument.get(document)?.get(clientId);
  }

  /** Remembers the user of a client, and forgets an absent client if there are too many. */
  #remember(document: Document, clientId: number, userId: string): void {
    const users = this.#usersByDocument.get(document) ?? new Map<number, string>();
    this.#usersByDocument.set(document, users);
    users.set(clientId, userId);
    if (users.size <= MAX_REMEMBERED) return;
    const { states, meta } = document.awareness;
    for (const id of users.keys()) {
      if (states.has(id)) continue;
      users.delete(id);
      meta.delete(id);
      return;
    }
  }
}

const presentState = ({ document, clientId }: ShownClient): State | undefined =>
  document.awareness.getStates().get(clientId);

/** Returns the user ids in a state. Editors put them next to or inside `user`. */
function userIdsIn(state: State): unknown[] {
  const { user } = state;
  const inner: State = typeof user === 'object' && user !== null ? { ...user } : {};
  return [state.userId, inner.id, inner.userId].filter((userId) => userId != null);
}
