import type { Provider } from '@lexical/yjs';
import type { ConnectedEditor } from 'collaboration-client/editor';

/** An editor's connection as a provider of Lexical, which has its own names for the events of a provider. */
export function lexicalProvider(editor: ConnectedEditor): Provider {
  const { provider } = editor;
  const listeners = new Map<unknown, (event: never) => void>();
  const names: Record<string, string> = { sync: 'synced', status: 'status' };
  return {
    awareness: provider.awareness as unknown as Provider['awareness'],
    connect: () => provider.attach(),
    disconnect: () => provider.detach(),
    on(type: string, listener: (event: never) => void) {
      const own = ({ state, ...event }: { state?: boolean }) =>
        listener((type === 'sync' ? state : event) as never);
      listeners.set(listener, own);
      if (names[type]) provider.on(names[type], own);
    },
    off(type: string, listener: (event: never) => void) {
      if (names[type]) provider.off(names[type], listeners.get(listener));
    },
  } as Provider;
}
