import { MutationObserver, type MutationObserverResult, notifyManager } from '@tanstack/query-core';
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { collaborationOf, type DocumentRef } from '../core/collaboration.ts';
import { markRead, type ReadMark } from '../core/mark-read.ts';
import * as writes from '../core/thread-writes.ts';
import { type ThreadWrite, writerOf } from '../core/write.ts';
import type { CollaborationClient } from '../create-client.ts';
import type { CollaborationError } from '../error.ts';
import { inboxOf } from '../scope.ts';
import { useClient, useDocumentRef, useScope } from './collaboration.tsx';
import type { InboxOptions } from './live-hooks.ts';

/**
 * A write. `mutate(input)` shows the write at once, and undoes it if it fails; `error` is then the reason.
 * `mutateAsync(input)` does the same, and returns a promise of the result.
 */
export type WriteHook<Input, Output> = Omit<
  MutationObserverResult<Output, CollaborationError, Input, unknown>,
  'mutate'
> & {
  mutate(input: Input): void;
  mutateAsync(input: Input): Promise<Output>;
};

/** @param writer makes the function that writes to the target; it must be the same function in every rendering */
function useMutation<Input, Output, Target>(
  writer: (client: CollaborationClient, target: Target) => (input: Input) => Promise<Output>,
  target: Target,
): WriteHook<Input, Output> {
  const client = useClient();
  const observer = useMemo(() => {
    const options = { networkMode: 'always' as const, mutationFn: writer(client, target) };
    const { cache } = collaborationOf(client);
    return new MutationObserver<Output, CollaborationError, Input>(cache, options);
  }, [client, writer, target]);
  const result = useSyncExternalStore(
    useCallback((listener) => observer.subscribe(notifyManager.batchCalls(listener)), [observer]),
    () => observer.getCurrentResult(),
    () => observer.getCurrentResult(),
  );
  const mutateAsync = useCallback((input: Input) => observer.mutate(input), [observer]);
  const mutate = useCallback(
    (input: Input) => void mutateAsync(input).catch(() => {}),
    [mutateAsync],
  );
  return { ...result, mutate, mutateAsync };
}

/** Creates the hook for a kind of write to the threads of the document. */
function createWriteHook<Input extends object, Output>(
  kind: ThreadWrite<Input, Output>,
): () => WriteHook<Input, Output> {
  const writer = (client: CollaborationClient, documentRef: DocumentRef) =>
    writerOf(client, documentRef, kind);
  return () => useMutation(writer, useDocumentRef());
}

/** Starts a thread: `mutate({ text, mentions, location })`. The result is the id of the thread. */
export const useCreateThread = createWriteHook(writes.createThread);

/** Adds a comment to a thread: `mutate({ annotationId, text, mentions })`. The result is the id of the comment. */
export const useReply = createWriteHook(writes.reply);

/** Changes the text of the user's own comment: `mutate({ annotationId, commentId, text, mentions })`. */
export const useEditComment = createWriteHook(writes.editComment);

/** Deletes the user's own comment: `mutate({ annotationId, commentId })`. Its thread stays. */
export const useDeleteComment = createWriteHook(writes.deleteComment);

/** Deletes the user's own thread with all its comments: `mutate({ annotationId })`. */
export const useDeleteThread = createWriteHook(writes.deleteThread);

/** Reacts to a comment: `mutate({ annotationId, commentId, icon })`. With `remove: true`, it removes the reaction. */
export const useReaction = createWriteHook(writes.react);

/** Changes the status of a thread: `mutate({ annotationId, status: 'RESOLVED' })`. */
export const useSetStatus = createWriteHook(writes.setStatus);

/**
 * Suggests an edit: `mutate({ editorId, ...passageOf(anchor), replacement })`. The result is the id of the
 * suggestion's thread.
 */
export const useSuggestEdit = createWriteHook(writes.suggestEdit);

/**
 * Applies a suggestion to the text: `mutate({ annotationId, editorId })`. If the text has changed,
 * `error.details.present` is the current text.
 */
export const useAcceptSuggestion = createWriteHook(writes.acceptSuggestion);

/** Rejects a suggestion, and leaves the text as it is: `mutate({ annotationId, editorId })`. */
export const useRejectSuggestion = createWriteHook(writes.rejectSuggestion);

/**
 * Marks a thread of the document as read by the user (`mutate({ annotationId })`), or notifications
 * (`mutate({ notificationIds })`), which show this at once.
 */
export function useMarkRead({
  organizationId,
}: Pick<InboxOptions, 'organizationId'> = {}): WriteHook<ReadMark, void> {
  const scope = useScope();
  const inbox = useMemo(() => inboxOf(scope, { organizationId }), [scope, organizationId]);
  return useMutation(markRead, inbox);
}
