import type { beforeHandleAwarenessPayload, Connection, Document } from '@hocuspocus/server';
import type { LiveContext } from './live-context.ts';

/** A connection speaks for one client; more come about when a client renews its id. */
const MAX_CLIENTS = 16;
/** Room for a name, a colour, a cursor and a selection; everybody in the document gets it. */
const MAX_STATE_CHARACTERS = 16 * 1024;

type State = Record<string, unknown>;

/**
 * Everybody tells of themselves only. A state that names another user, or that belongs to another
 * user's client, is taken out of what a connection sends; the rest goes on.
 */
export async function guardAwareness({
  states,
  connection,
  document,
}: beforeHandleAwarenessPayload<LiveContext>): Promise<void> {
  const userId = connection?.context.session?.userId;
  if (!connection || userId === undefined) return;
  for (const [clientId, state] of states) {
    const mayTell =
      namesOnly(state, userId) &&
      mayUseClient({ document, connection, clientId, userId }) &&
      JSON.stringify(state).length <= MAX_STATE_CHARACTERS;
    if (!mayTell) states.delete(clientId);
  }
}

function namesOnly(state: State, userId: string): boolean {
  return namedUsers(state).every((named) => named === userId);
}

/** Where editors put the id of their user: beside or inside `user`. */
function namedUsers(state: State): unknown[] {
  const { user } = state;
  const inner: State = typeof user === 'object' && user !== null ? { ...user } : {};
  return [state.userId, inner.id, inner.userId].filter((named) => named != null);
}

interface Claim {
  document: Document;
  connection: Connection<LiveContext>;
  clientId: number;
  userId: string;
}

function mayUseClient({ document, connection, clientId, userId }: Claim): boolean {
  const own = document.getClients(connection);
  if (own.has(clientId)) return true;
  if (own.size >= MAX_CLIENTS) return false;
  const holder = holderOf(document, clientId);
  // A client that comes back before its old connection is seen to be gone.
  if (holder) return holder.context.session?.userId === userId;
  const present = document.awareness.getStates().get(clientId);
  return present === undefined || namedUsers(present).includes(userId);
}

const holderOf = (document: Document, clientId: number): Connection<LiveContext> | undefined =>
  document.getConnections().find((other) => document.getClients(other).has(clientId)) as
    | Connection<LiveContext>
    | undefined;

/** Whether a Yjs client id is that of somebody else who is present. */
export function isShownByAnother({ document, connection, clientId, userId }: Claim): boolean {
  if (document.getClients(connection).has(clientId)) return false;
  const holder = holderOf(document, clientId);
  if (holder) return holder.context.session?.userId !== userId;
  const named = namedUsers(document.awareness.getStates().get(clientId) ?? {});
  return named.length > 0 && !named.includes(userId);
}
