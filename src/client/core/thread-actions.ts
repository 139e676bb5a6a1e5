import type { CollaborationClient } from '../create-client.ts';
import type { DocumentRef } from './collaboration.ts';
import { markRead } from './mark-read.ts';
import * as writes from './thread-writes.ts';
import { type ThreadWrite, writerOf } from './write.ts';

/**
 * The user's writes to the threads of a document. Each write is shown at once, and undone if it fails. Only
 * suggestions wait for the server, which compares them with the text.
 *
 * @returns functions that reject with a CollaborationError when the server refuses the write
 */
export function threadActions(client: CollaborationClient, documentRef: DocumentRef) {
  const { organizationId, documentId } = documentRef;
  const write = <Input extends object, Output>(kind: ThreadWrite<Input, Output>) =>
    writerOf(client, { organizationId, documentId }, kind);
  return {
    /** Resolves to the id of the thread. */
    createThread: write(writes.createThread),
    /** Resolves to the id of the comment. */
    reply: write(writes.reply),
    /** Changes the text of the user's own comment. */
    editComment: write(writes.editComment),
    /** Deletes the user's own comment. Its thread stays. */
    deleteComment: write(writes.deleteComment),
    /** Deletes the user's own thread with all its comments. */
    deleteThread: write(writes.deleteThread),
    /** Adds or removes the user's reaction to a comment. */
    react: write(writes.react),
    setStatus: write(writes.setStatus),
    /** Suggests an edit to a text. Resolves to the id of the suggestion's thread. */
    suggestEdit: write(writes.suggestEdit),
    /**
     * Applies a suggestion to the text, and resolves its thread. Rejects with `FAILED_PRECONDITION` if
     * the text has changed; `error.details.present` is then the current text.
     */
    acceptSuggestion: write(writes.acceptSuggestion),
    /** Leaves the text as it is, and resolves the thread of the suggestion. */
    rejectSuggestion: write(writes.rejectSuggestion),
    /** Marks a thread, or notifications, as read. */
    markRead: markRead(client, documentRef),
  };
}

export type ThreadActions = ReturnType<typeof threadActions>;
