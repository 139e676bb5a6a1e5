import type { QueryClient } from '@tanstack/query-core';
import type { CommentsChangesItem } from '../../api/contract.ts';
import { type DocumentRef, documentKey } from './collaboration.ts';
import type { Thread } from './thread.ts';

/** A thread after its last change; undefined after its deletion. */
interface Change {
  /** The logical time. */
  at: number;
  thread: Thread | undefined;
}

/** A write that the user sees before the server has answered. */
export interface Write {
  annotationId: string;
  /** Whether the write creates the thread. */
  isNew?: boolean;
  /** Returns the thread with the write. */
  apply(thread: Thread | undefined): Thread | undefined;
  /** Whether a stored thread contains the write. */
  isReflectedIn(thread: Thread): boolean;
}

/** Received changes and pending writes, which are merged with the pages that were read. */
export interface Changes {
  received: ReadonlyMap<string, Change>;
  writes: readonly Write[];
}

export const NO_CHANGES: Changes = { received: new Map(), writes: [] };

export const threadsKey = documentKey('threads');
export const changesKey = documentKey('changes');

let time = 0;

/** Orders reads and received changes without a clock: each call returns a higher number. */
export const logicalTime = (): number => ++time;

export const changesOf = (cache: QueryClient, place: DocumentRef): Changes =>
  cache.getQueryData<Changes>(changesKey(place)) ?? NO_CHANGES;

const change = (
  cache: QueryClient,
  place: DocumentRef,
  update: (changes: Changes) => Changes,
): void =>
  void cache.setQueryData<Changes>(changesKey(place), (changes) => update(changes ?? NO_CHANGES));

/** Forgets the received changes. The caller then reads the threads again. */
export const forgetReceived = (cache: QueryClient, place: DocumentRef): void =>
  change(cache, place, ({ writes }) => ({ ...NO_CHANGES, writes }));

export function receive(cache: QueryClient, place: DocumentRef, item: CommentsChangesItem): void {
  if (item.type === 'comment_annotation.delete') {
    store(cache, place, item.data.annotationId, { at: logicalTime(), thread: undefined });
    return;
  }
  const { actionUser: _actor, commentIds: _ids, previous: _previous, ...thread } = item.data;
  storeThread(cache, place, thread, logicalTime());
}

/** Stores a thread unless a newer state of it, or its deletion, was received. */
function storeThread(cache: QueryClient, place: DocumentRef, thread: Thread, at: number): void {
  const { received } = changesOf(cache, place);
  const { at: knownAt = 0, thread: known } = received.get(thread.annotationId) ?? {};
  // A deletion has no time of change, so its logical time is compared.
  const isOld = known ? known.lastUpdated > thread.lastUpdated : knownAt > at;
  if (!isOld) store(cache, place, thread.annotationId, { at, thread });
}

/** Stores the result of reading one thread: null if it was deleted. */
export function storeRead(
  cache: QueryClient,
  place: DocumentRef,
  annotationId: string,
  { thread, readAt }: { thread: Thread | null; readAt: number },
): void {
  if (thread) storeThread(cache, place, thread, readAt);
  else if ((changesOf(cache, place).received.get(annotationId)?.at ?? 0) < readAt) {
    store(cache, place, annotationId, { at: readAt, thread: undefined });
  }
}

const store = (
  cache: QueryClient,
  place: DocumentRef,
  annotationId: string,
  received: Change,
): void =>
  change(cache, place, (changes) => ({
    ...changes,
    received: new Map(changes.received).set(annotationId, received),
  }));

/** Adds a write; or replaces an old one, or removes it when nothing replaces it. */
export const replaceWrite = (
  cache: QueryClient,
  place: DocumentRef,
  old: Write | undefined,
  by?: Write,
): void =>
  change(cache, place, ({ received, writes }) => {
    const at = old ? writes.indexOf(old) : writes.length;
    return { received, writes: at < 0 ? writes : writes.toSpliced(at, 1, ...(by ? [by] : [])) };
  });
