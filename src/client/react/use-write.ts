import {
  MutationObserver,
  type MutationObserverOptions,
  type MutationObserverResult,
  notifyManager,
} from '@tanstack/query-core';
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { type Collaboration, collaborationOf, type Place } from '../core/collaboration.ts';
import { mutationOf, type ThreadWrite } from '../core/write.ts';
import type { CollaborationError } from '../error.ts';
import { useClient, usePlace } from './collaboration.tsx';

/**
 * A write: `mutate(input)` shows it at once and takes it back if it fails, with the reason in
 * `error`; `mutateAsync(input)` also returns a promise.
 */
export type WriteHook<Input, Output> = Omit<
  MutationObserverResult<Output, CollaborationError, Input, unknown>,
  'mutate'
> & {
  mutate(input: Input): void;
  mutateAsync(input: Input): Promise<Output>;
};

/** @param options must stay the same function */
export function useMutation<Input, Output, Result, At>(
  options: (
    collaboration: Collaboration,
    place: At,
  ) => MutationObserverOptions<Output, CollaborationError, Input, Result>,
  place: At,
): WriteHook<Input, Output> {
  const collaboration = collaborationOf(useClient());
  const observer = useMemo(
    () => new MutationObserver(collaboration.cache, options(collaboration, place)),
    [collaboration, options, place],
  );
  const result = useSyncExternalStore(
    useCallback((listener) => observer.subscribe(notifyManager.batchCalls(listener)), [observer]),
    () => observer.getCurrentResult(),
    () => observer.getCurrentResult(),
  );
  const { mutate: mutateAsync } = result;
  const mutate = useCallback(
    (input: Input) => void observer.mutate(input).catch(() => {}),
    [observer],
  );
  return { ...result, mutate, mutateAsync };
}

/** A hook for a kind of write to the threads of the document. */
export function writeHook<Input, Output>(
  kind: ThreadWrite<Input, Output>,
): () => WriteHook<Input, Output> {
  const options = (collaboration: Collaboration, place: Place) =>
    mutationOf(collaboration, place, kind);
  return () => useMutation(options, usePlace());
}
