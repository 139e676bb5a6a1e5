import type { QueryClient } from '@tanstack/query-core';
import type { CommentsChangesItem } from '../../api/contract.ts';
import { type DocumentRef, documentKey } from './collaboration.ts';
import type { Thread } from './thread.ts';

/** The last known change to a thread. */
interface Change {
  /** The logical time at which the change was read or received. */
  at: number;
  /** The thread after the change; undefined if the change was its deletion. */
  thread: Thread | undefined;
}

/** A write that the user sees before the server has responded. */
export interface PendingWrite {
  annotationId: string;
  /** Whether the write creates the thread. */
  isNew?: boolean;
  /** Returns the thread as it is after the write; undefined if the write deletes it. */
  apply(thread: Thread | undefined): Thread | undefined;
  /** Whether a stored thread contains the write. */
  isReflectedIn(thread: Thread): boolean;
}

/** Received changes and pending writes, which are merged with the pages that were read. */
export interface Changes {
  received: ReadonlyMap<string, Change>;
  writes: readonly PendingWrite[];
}

export const NO_CHANGES: Changes = { received: new Map(), writes: [] };

export const threadsKey = documentKey('threads');
export const changesKey = documentKey('changes');

let time = 0;

/** Returns a higher number with each call, which orders reads and received changes without a clock. */
export const logicalTime = (): number => ++time;

/** Identifies the threads of a document in the cache of a client. */
export interface CachedThreads {
  cache: QueryClient;
  documentRef: DocumentRef;
}

export const changesOf = ({ cache, documentRef }: CachedThreads): Changes =>
  cache.getQueryData<Changes>(changesKey(documentRef)) ?? NO_CHANGES;

/** Replaces the changes of a document. */
const updateChanges = (
  { cache, documentRef }: CachedThreads,
  update: (changes: Changes) => Changes,
): void =>
  void cache.setQueryData<Changes>(changesKey(documentRef), (changes) =>
    update(changes ?? NO_CHANGES),
  );

/** Forgets the received changes. The caller then reads the threads again. */
export const forgetReceived = (cached: CachedThreads): void =>
  updateChanges(cached, ({ writes }) => ({ ...NO_CHANGES, writes }));

/** Stores the thread of an event. */
export function receiveChange(cached: CachedThreads, item: CommentsChangesItem): void {
  const at = logicalTime();
  if (item.type === 'comment_annotation.delete') {
    store(cached, item.data.annotationId, { at, thread: undefined });
    return;
  }
  const { actionUser: _actor, commentIds: _ids, previous: _previous, ...thread } = item.data;
  store(cached, thread.annotationId, { at, thread });
}

/** Stores a thread that was received or read, unless a newer state of the thread is known. */
export function store(cached: CachedThreads, annotationId: string, { at, thread }: Change): void {
  const newest = changesOf(cached).received.get(annotationId);
  // A deletion has no `lastUpdated`, so logical times are compared.
  const isOld =
    newest?.thread && thread
      ? newest.thread.lastUpdated > thread.lastUpdated
      : (newest?.at ?? 0) > at;
  if (isOld) return;
  updateChanges(cached, (changes) => ({
    ...changes,
    received: new Map(changes.received).set(annotationId, { at, thread }),
  }));
}

const updateWrites = (
  cached: CachedThreads,
  update: (writes: readonly PendingWrite[]) => PendingWrite[],
): void => updateChanges(cached, ({ received, writes }) => ({ received, writes: update(writes) }));

export const addWrite = (cached: CachedThreads, write: PendingWrite): void =>
  updateWrites(cached, (writes) => [...writes, write]);

export const replaceWrite = (cached: CachedThreads, old: PendingWrite, next: PendingWrite): void =>
  updateWrites(cached, (writes) => writes.map((write) => (write === old ? next : write)));

export const removeWrite = (cached: CachedThreads, old: PendingWrite): void =>
  updateWrites(cached, (writes) => writes.filter((write) => write !== old));
