import { useCallback, useSyncExternalStore } from 'react';
import type { ConnectionStatus } from '../connection.ts';
import { useCollaboration } from './collaboration.tsx';

/** Whether changes arrive: `connected`, `connecting`, or `idle` while nothing is followed. */
export function useConnectionStatus(): ConnectionStatus {
  const { connection } = useCollaboration().client;
  return useSyncExternalStore(
    useCallback((listener) => connection.subscribe(listener), [connection]),
    () => connection.status,
    () => 'idle',
  );
}
