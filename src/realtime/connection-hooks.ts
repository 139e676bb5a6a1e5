import type {
  connectedPayload,
  onAuthenticatePayload,
  onDisconnectPayload,
} from '@hocuspocus/server';
import type { Metrics } from '../platform/metrics.ts';
import type { AccessWatch } from './access-watch.ts';
import { type AuthenticationParts, authenticateConnection } from './authenticate-connection.ts';
import { guardAwareness } from './awareness-guard.ts';
import type { DocumentStore } from './document-store.ts';
import type { LiveContext, Session } from './live-context.ts';

type Parts = AuthenticationParts & { metrics: Metrics };

/** What happens as connections come and go. Stateless messages have no hook, and so no effect. */
export function connectionHooks(parts: Parts, watch: AccessWatch, store: DocumentStore) {
  const { metrics } = parts;
  const sessions = new Set<Session | undefined>();
  const countDocuments = async () => metrics.liveDocuments.set(store.size);
  return {
    onAuthenticate: (payload: onAuthenticatePayload<LiveContext>) =>
      authenticateConnection(parts, payload, watch.changes),
    beforeHandleAwareness: guardAwareness,
    afterLoadDocument: countDocuments,
    afterUnloadDocument: countDocuments,
    connected: async ({ context, connection }: connectedPayload<LiveContext>) => {
      sessions.add(context.session);
      metrics.liveConnections.set(sessions.size);
      // Access that changed while the document was being loaded.
      if (context.session?.asOf === watch.changes) return;
      await watch.recheck(({ document }) => document === connection.document);
    },
    onDisconnect: async ({ context }: onDisconnectPayload<LiveContext>) => {
      sessions.delete(context.session);
      metrics.liveConnections.set(sessions.size);
    },
  };
}
