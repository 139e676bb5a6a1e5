import type { Provider } from '@lexical/yjs';
import type { ConnectedEditor } from 'collaboration-client/editor';

/** Adapts an editor's connection to Lexical, which uses other names for a provider's events. */
export function lexicalProvider(editor: ConnectedEditor): Provider {
  const { provider } = editor;
  const listeners = new Map<unknown, (event: never) => void>();
  const providerEvents: Record<string, string> = { sync: 'synced', status: 'status' };
  return {
    awareness: provider.awareness as unknown as Provider['awareness'],
    connect: () => provider.attach(),
    disconnect: () => provider.detach(),
    on(type: string, listener: (event: never) => void) {
      const adapted = ({ state, ...event }: { state?: boolean }) =>
        listener((type === 'sync' ? state : event) as never);
      listeners.set(listener, adapted);
      if (providerEvents[type]) provider.on(providerEvents[type], adapted);
    },
    off(type: string, listener: (event: never) => void) {
      if (providerEvents[type]) provider.off(providerEvents[type], listeners.get(listener));
    },
  } as Provider;
}
