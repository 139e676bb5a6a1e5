import type { CollaborationClient } from '../create-client.ts';
import type { DocumentRef } from './collaboration.ts';
import { markRead } from './mark-read.ts';
import * as writes from './thread-writes.ts';
import { type ThreadWrite, writerOf } from './write.ts';

/**
 * The writes of a user to the threads of a document. Each is shown at once, and taken back if it fails;
 * suggestions wait for the server, which compares them with the text.
 *
 * @returns functions that reject with a CollaborationError when the server refused the write
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
    /** Changes the text of one's own comment. */
    editComment: write(writes.editComment),
    /** Deletes one's own comment. Its thread stays. */
    deleteComment: write(writes.deleteComment),
    /** Deletes a thread of one's own with all its comments. */
    deleteThread: write(writes.deleteThread),
    /** Reacts to a comment, or takes a reaction back. */
    react: write(writes.react),
    setStatus: write(writes.setStatus),
    /** Suggests an edit of a text. Resolves to the id of its thread. */
    suggestEdit: write(writes.suggestEdit),
    /**
     * Applies a suggestion to the text, and resolves its thread. Rejects with `FAILED_PRECONDITION` if
     * the text has changed; `error.details.present` is the text that is there now.
     */
    acceptSuggestion: write(writes.acceptSuggestion),
    /** Leaves the text as it is, and resolves the thread of the suggestion. */
    rejectSuggestion: write(writes.rejectSuggestion),
    /** Marks a thread, or notifications, as read. */
    markRead: markRead(client, documentRef),
  };
}

export type ThreadActions = ReturnType<typeof threadActions>;
