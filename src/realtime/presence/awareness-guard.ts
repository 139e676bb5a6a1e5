import type { Connection, Document } from '@hocuspocus/server';
import type { LiveContext } from '../live-context.ts';
import type { State } from './awareness-identity.ts';

/** What is remembered of clients that have gone. */
const MAX_REMEMBERED = 10_000;

/** Whose the clients are that have been shown in a document, as long as it is open. */
const usersByDocument = new WeakMap<Document, Map<number, string>>();

export interface Claim {
  document: Document;
  connection: Connection<LiveContext>;
  clientId: number;
  userId: string;
}

/**
 * Gives whether a connection may show this Yjs client, which then is its user's: another user may not
 * take it, though a client may come back before its old connection is seen to be gone.
 */
export function claimClient(claim: Claim): boolean {
  const { document, connection, clientId, userId } = claim;
  if (document.getClients(connection).has(clientId)) return true;
  if (!mayShow(claim)) return false;
  for (const other of document.getConnections()) document.getClients(other).delete(clientId);
  document.getClients(connection).add(clientId);
  remember(document, clientId, userId);
  return true;
}

/** Whether a Yjs client id is that of somebody else who is present, or was. */
export function isShownByAnother(claim: Claim): boolean {
  const user = userOf(claim);
  if (user !== undefined) return user !== claim.userId;
  const named = namedUsers(presentAt(claim) ?? {});
  return named.length > 0 && !named.includes(claim.userId);
}

/** What another process shows may be of anybody, unless it says of whom it is. */
function mayShow(claim: Claim): boolean {
  const user = userOf(claim);
  if (user !== undefined) return user === claim.userId;
  const present = presentAt(claim);
  return present === undefined || namedUsers(present).includes(claim.userId);
}

const userOf = ({ document, clientId }: Claim): string | undefined =>
  usersByDocument.get(document)?.get(clientId);

const presentAt = ({ document, clientId }: Claim): State | undefined =>
  document.awareness.getStates().get(clientId);

function remember(document: Document, clientId: number, userId: string): void {
  const users = usersByDocument.get(document) ?? new Map<number, string>();
  usersByDocument.set(document, users);
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

/** Where editors put the id of their user: beside or inside `user`. */
function namedUsers(state: State): unknown[] {
  const { user } = state;
  const inner: State = typeof user === 'object' && user !== null ? { ...user } : {};
  return [state.userId, inner.id, inner.userId].filter((named) => named != null);
}
