import { hashKey, notifyManager, QueryObserver } from '@tanstack/query-core';
import type { ConnectionStatus } from '../connection.ts';
import type { CollaborationClient } from '../create-client.ts';
import { type Collaboration, collaborationOf } from './collaboration.ts';

/** A value that is kept up to date while it has subscribers. Svelte accepts it as a store. */
export interface Live<Value> {
  /** The current value: the same object until something changes. */
  get(): Value;
  /** The value before anything has been read, as a server renders it. */
  initial(): Value;
  /**
   * Calls the listener at once with the current value, and again whenever the value has changed.
   *
   * @returns a function that ends the subscription
   */
  subscribe(listener: (value: Value) => void): () => void;
  /**
   * Reads the value for the first time.
   *
   * @returns a promise of the read; undefined if the value has already been read
   * @throws CollaborationError if the value could not be read
   */
  load(): Promise<unknown> | undefined;
}

/** A source of a live value, such as an observer of the cache. */
interface Source<Result> {
  getCurrentResult(): Result;
  subscribe(listener: () => void): () => void;
}

interface LiveOptions<Results extends unknown[], Value> {
  sources: { [At in keyof Results]: Source<Results[At]> };
  value(...results: Results): Value;
  /** Starts the work that the value needs while it has subscribers. @returns the functions that end the work */
  start?(): Array<() => void>;
}

/** The result of a query that has never been read. */
const NOT_READ = {
  data: undefined,
  error: null,
  failureReason: null,
  isPending: true,
  hasNextPage: false,
  isFetchingNextPage: false,
};

/** Creates a live value, which is computed again when one of its sources changes. `load` reads the first source. */
export function createLive<Results extends unknown[], Value>(
  { cache }: Collaboration,
  { sources, value, start = () => [] }: LiveOptions<Results, Value>,
): Live<Value> {
  const currentValue = memoizeLast(value);
  const get = () =>
    currentValue(...(sources.map((source) => source.getCurrentResult()) as Results));
  const initialValue = memoizeLast(value);
  const initial = () => {
    const resultOf = (source: Source<unknown>) =>
      source instanceof QueryObserver ? NOT_READ : source.getCurrentResult();
    return initialValue(...(sources.map(resultOf) as Results));
  };
  return {
    get,
    initial,
    subscribe(listener) {
      for (const source of sources) {
        // The cache forgets queries that are unused for a while. Setting the options makes the observer look up its query
        // again, instead of using a forgotten one.
        if (source instanceof QueryObserver) source.setOptions(source.options);
      }
      let shown: Value;
      const onChange = notifyManager.batchCalls(() => {
        const now = get();
        if (now === shown) return;
        shown = now;
        listener(now);
      });
      // A mounted cache refetches when the page becomes visible again.
      cache.mount();
      const cleanups = [
        () => cache.unmount(),
        ...sources.map((source) => source.subscribe(onChange)),
        ...start(),
      ];
      // `start` may have changed the value.
      shown = get();
      listener(shown);
      return () => {
        // Empty the list, so that a second call has no effect.
        for (const cleanUp of cleanups.splice(0)) cleanUp();
      };
    },
    load() {
      const [first] = sources;
      if (!(first instanceof QueryObserver)) return undefined;
      const { data, error } = first.getCurrentResult();
      if (data !== undefined) return undefined;
      if (error) throw error;
      return first.fetchOptimistic(first.options);
    },
  };
}

/** Wraps a function so that it returns its last result while its arguments stay the same. */
export function memoizeLast<Arguments extends unknown[], Result>(
  compute: (...args: Arguments) => Result,
): (...args: Arguments) => Result {
  let last: { args: Arguments; result: Result } | undefined;
  return (...args) => {
    const isSame =
      last?.args.length === args.length && args.every((arg, at) => arg === last?.args[at]);
    if (!last || !isSame) last = { args, result: compute(...args) };
    return last.result;
  };
}

/**
 * Starts work, such as a subscription, that runs only once for all live values that need it.
 *
 * @returns a function to call when the work is no longer needed
 */
export const runShared = <Input>(
  collaboration: Collaboration,
  kind: string,
  input: Input,
  work: (collaboration: Collaboration, input: Input, signal: AbortSignal) => Promise<void>,
): (() => void) =>
  collaboration.runs.use(hashKey([kind, input]), (signal) => work(collaboration, input, signal))
    .release;

/** The status of the connection over which changes arrive. */
export function liveConnection(client: CollaborationClient): Live<ConnectionStatus> {
  const { connection } = client;
  const source: Source<ConnectionStatus> = {
    getCurrentResult: () => connection.status,
    subscribe: (listener) => connection.subscribe(listener),
  };
  return createLive(collaborationOf(client), { sources: [source], value: (status) => status });
}
