import type {
  afterLoadDocumentPayload,
  Connection,
  connectedPayload,
  onAuthenticatePayload,
  onDisconnectPayload,
} from '@hocuspocus/server';
import type { Metrics } from '../platform/metrics.ts';
import type { AccessWatch } from './access-watch.ts';
import {
  type AuthenticationParts,
  authenticateConnection,
  refuse,
} from './authenticate-connection.ts';
import { guardAwareness } from './awareness-guard.ts';
import type { ConnectedUsers } from './connected-users.ts';
import { nameOf } from './document-names.ts';
import type { DocumentStore } from './document-store.ts';
import type { LiveContext, Session } from './live-context.ts';
import type { PresenceAwareness } from './presence-awareness.ts';
import { closing } from './refusal.ts';

interface Parts extends AuthenticationParts {
  metrics: Metrics;
  watch: AccessWatch;
  store: DocumentStore;
  connected: ConnectedUsers;
  awareness: PresenceAwareness;
}

/** What happens as connections come and go. Stateless messages have no hook, and so no effect. */
export function connectionHooks(parts: Parts) {
  const { metrics, watch, store, connected: users, awareness } = parts;
  const sessions = new Set<Session | undefined>();
  /** What cannot be looked up is not let in; the client tries again. */
  const recheck = async (connection: Connection<LiveContext>) => {
    try {
      await watch.recheckDocument(connection.document);
    } catch (error) {
      connection.close(closing(refuse(parts, error, connection.context).reason));
    }
  };
  const countDocuments = async () => metrics.liveDocuments.set(store.size);
  return {
    onAuthenticate: (payload: onAuthenticatePayload<LiveContext>) =>
      authenticateConnection(parts, payload, watch.changes),
    beforeHandleAwareness: guardAwareness,
    afterLoadDocument: async ({ document }: afterLoadDocumentPayload<LiveContext>) => {
      awareness.opened(document);
      await countDocuments();
    },
    afterUnloadDocument: countDocuments,
    connected: async ({ context, connection, documentName }: connectedPayload<LiveContext>) => {
      sessions.add(context.session);
      if (context.session) users.join(nameOf(documentName), context.session);
      metrics.liveConnections.set(sessions.size);
      // Access that changed while the document was being loaded.
      if (context.session?.asOf === watch.changes) return;
      await recheck(connection);
    },
    onDisconnect: async ({ context, documentName }: onDisconnectPayload<LiveContext>) => {
      sessions.delete(context.session);
      if (context.session) users.leave(nameOf(documentName), context.session);
      metrics.liveConnections.set(sessions.size);
    },
  };
}
