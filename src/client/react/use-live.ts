import { useMemo, useSyncExternalStore } from 'react';
import type { Live } from '../core/live.ts';
import type { CollaborationClient } from '../create-client.ts';
import { useClient } from './collaboration.tsx';

export interface ReadOptions {
  /** Suspends instead of `isLoading`, and throws what would be `error` before there is anything to show. */
  suspense?: boolean;
}

/** The value of a live value of the core, which is created again when its input changes. */
export function useLive<Input, Value>(
  make: (client: CollaborationClient, input: Input) => Live<Value>,
  input: Input,
  { suspense = false }: ReadOptions = {},
): Value {
  const client = useClient();
  const name = JSON.stringify(input);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name stands for the input
  const live = useMemo(() => make(client, input), [make, client, name]);
  const value = useSyncExternalStore(live.subscribe, live.get, live.get);
  const reading = suspense ? live.load() : undefined;
  // React takes a thrown promise for something to wait for.
  if (reading !== undefined) throw reading;
  return value;
}
