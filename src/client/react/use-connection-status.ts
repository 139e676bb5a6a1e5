import { useCallback, useSyncExternalStore } from 'react';
import type { ConnectionStatus } from '../connection.ts';
import { useClient } from './collaboration.tsx';

/** Whether changes arrive: `connected`, `connecting`, or `idle` while nothing is followed. */
export function useConnectionStatus(): ConnectionStatus {
  const { connection } = useClient();
  return useSyncExternalStore(
    useCallback((listener) => connection.subscribe(listener), [connection]),
    () => connection.status,
    () => 'idle',
  );
}
