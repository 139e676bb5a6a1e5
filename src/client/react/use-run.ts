import { useEffect } from 'react';
import { type Collaboration, useCollaboration } from './collaboration.tsx';

/** Runs something while at least one component needs it, once for all of them. */
export function useRun<Input>(
  kind: string,
  input: Input,
  run: (collaboration: Collaboration, input: Input, signal: AbortSignal) => Promise<void>,
): void {
  const collaboration = useCollaboration();
  const name = JSON.stringify([kind, input]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name stands for the input
  useEffect(
    () => collaboration.runs.use(name, (signal) => run(collaboration, input, signal)),
    [collaboration, name],
  );
}
