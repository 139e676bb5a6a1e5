import type { Provider } from '@lexical/yjs';
import type { ConnectedEditor } from 'collaboration-client/editor';

/** An editor's connection as a provider of Lexical, which has other names for the events of a provider. */
export function lexicalProvider(editor: ConnectedEditor): Provider {
  const { provider } = editor;
  const listeners = new Map<unknown, (event: never) => void>();
  const ownNames: Record<string, string> = { sync: 'synced', status: 'status' };
  return {
    awareness: provider.awareness as unknown as Provider['awareness'],
    connect: () => provider.attach(),
    disconnect: () => provider.detach(),
    on(type: string, listener: (event: never) => void) {
      const translated = ({ state, ...event }: { state?: boolean }) =>
        listener((type === 'sync' ? state : event) as never);
      listeners.set(listener, translated);
      if (ownNames[type]) provider.on(ownNames[type], translated);
    },
    off(type: string, listener: (event: never) => void) {
      if (ownNames[type]) provider.off(ownNames[type], listeners.get(listener));
    },
  } as Provider;
}
