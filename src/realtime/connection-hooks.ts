import type {
  afterLoadDocumentPayload,
  Connection,
  connectedPayload,
  onAuthenticatePayload,
  onDisconnectPayload,
} from '@hocuspocus/server';
import type { Services } from '../api/context.ts';
import type { AccessWatch } from './access/access-watch.ts';
import {
  type AuthenticationDependencies,
  authenticateConnection,
  refuse,
} from './access/authenticate-connection.ts';
import type { ConnectionLimits } from './access/connection-limits.ts';
import { notifyStorageUsedUp } from './access/read-only.ts';
import { nameOf } from './document-names.ts';
import type { DocumentStore } from './documents/document-store.ts';
import type { LiveContext, Session } from './live-context.ts';
import { handleMessage } from './messages/handle-message.ts';
import { SyncResponder } from './messages/sync-responder.ts';
import { AwarenessGuard } from './presence/awareness-guard.ts';
import { AwarenessRelay } from './presence/awareness-relay.ts';
import type { ConnectedUsers } from './presence/connected-users.ts';
import { reloadPeople } from './presence/follow-people.ts';
import type { PresenceAwareness } from './presence/presence-awareness.ts';
import { closing, Refusal } from './refusal.ts';

interface Dependencies
  extends AuthenticationDependencies,
    Pick<Services, 'metrics' | 'workerPool'> {
  watch: AccessWatch;
  store: DocumentStore;
  connected: ConnectedUsers;
  awareness: PresenceAwareness;
  limits: ConnectionLimits;
}

/** The hooks for the life of a connection. Stateless messages have no hook, so they have no effect. */
export function connectionHooks(deps: Dependencies) {
  const { metrics, watch, store, connected: users, awareness, limits } = deps;
  const guard = new AwarenessGuard();
  const relay = new AwarenessRelay(guard);
  const messageDeps = { ...deps, guard, relay, syncResponder: new SyncResponder(deps) };
  const sessions = new Set<Session>();
  /** Reads access and profile again. If that fails, closes the connection, so that the client tries again. */
  const recheck = async (connection: Connection<LiveContext>, session: Session) => {
    const { tenantId } = nameOf(connection.document.name);
    try {
      await watch.recheckDocument(connection.document);
      await reloadPeople(deps.db, tenantId, [session]);
    } catch (error) {
      const { code, reason } = refuse(deps, error, connection.context);
      connection.close({ code, reason });
    }
  };
  const countDocuments = async () => metrics.liveDocuments.set(store.size);
  return {
    onAuthenticate: async (payload: onAuthenticatePayload<LiveContext>) => {
      try {
        const session = await authenticateConnection(deps, payload, watch.changes);
        const name = nameOf(payload.documentName);
        if (limits.isFull(name, session)) throw new Refusal(closing('RESOURCE_EXHAUSTED'));
        payload.context.socket?.outbox.assignUser(JSON.stringify([name.tenantId, session.userId]));
        return { session };
      } catch (error) {
        if (error instanceof Refusal) metrics.socketRefusals.inc({ reason: error.reason });
        throw error;
      }
    },
    afterLoadDocument: async ({ document }: afterLoadDocumentPayload<LiveContext>) => {
      awareness.showIn(document);
      await countDocuments();
    },
    afterUnloadDocument: countDocuments,
    connected: async ({ context, connection, documentName }: connectedPayload<LiveContext>) => {
      const { session, socket } = context;
      if (!session) return;
      const name = nameOf(documentName);
      socket?.opened(connection.messageAddress, (message) =>
        handleMessage(messageDeps, connection, message),
      );
      sessions.add(session);
      users.join(name, session);
      // Others may have connected while the document was being loaded.
      if (limits.isFull(name, session)) connection.close(closing('RESOURCE_EXHAUSTED'));
      limits.add(name, session);
      metrics.liveConnections.set(sessions.size);
      if (session.isEditor && session.isStorageUsedUp) notifyStorageUsedUp(connection);
      // Access and profile are read again if they may have changed while the document was loaded.
      if (session.accessChanges !== watch.changes) await recheck(connection, session);
    },
    onDisconnect: async ({ context, documentName }: onDisconnectPayload<LiveContext>) => {
      const { session } = context;
      if (!session) return;
      sessions.delete(session);
      users.leave(nameOf(documentName), session);
      relay.forget(documentName, session);
      limits.delete(session);
      metrics.liveConnections.set(sessions.size);
    },
  };
}
