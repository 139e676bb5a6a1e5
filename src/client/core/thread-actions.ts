import type { MutationObserverOptions } from '@tanstack/query-core';
import type { Outcomes } from '../../api/contract.ts';
import type { CollaborationClient } from '../create-client.ts';
import type { CollaborationError } from '../error.ts';
import { randomId } from '../random-id.ts';
import { type Collaboration, collaborationOf, type Place } from './collaboration.ts';
import type {
  CommentChoice,
  CommentEdit,
  NewReply,
  NewSuggestion,
  NewThread,
  ReactionChange,
  StatusChange,
  SuggestionChoice,
} from './inputs.ts';
import { markReadOf } from './mark-read.ts';
import { commentIdsOf } from './stored-thread.ts';
import { suggestionOf } from './suggestion.ts';
import {
  answeredReply,
  deleteThreadWrite,
  deleteWrite,
  editWrite,
  pendingWrite,
  reactionWrite,
  replyWrite,
  statusInput,
  statusWrite,
  threadWrite,
  toComment,
} from './thread-writes.ts';
import { mutationOf, requireSuccess, type ThreadWrite } from './write.ts';

const ids = new WeakMap<object, string>();

/** The id of a new thread, the same at each call with one input. */
function idOf(input: NewThread | NewSuggestion): string {
  const id = input.annotationId ?? ids.get(input) ?? randomId();
  ids.set(input, id);
  return id;
}

export const createThread: ThreadWrite<NewThread, string> = {
  plan: (input, self) => threadWrite(idOf(input), input, self),
  send: async (input, { client }, place) => {
    const { text, html, mentions, attachments, ...fields } = input;
    const commentData = [toComment({ text, html, mentions, attachments })];
    const annotation = { ...fields, annotationId: idOf(input), commentData };
    const added = await client.commentAnnotations.add({
      ...place,
      commentAnnotations: [annotation],
    });
    return requireSuccess(added).annotationId;
  },
};

export const reply: ThreadWrite<NewReply, number> = {
  plan: (input, self, { cache, ownReplies }, place) =>
    replyWrite(input, self, {
      shown: commentIdsOf(cache, place, input.annotationId),
      ownReplies,
    }),
  send: async ({ annotationId, ...draft }, { client }, place) => {
    const commentData = [toComment(draft)];
    const [commentId = 0] = await client.comments.add({ ...place, annotationId, commentData });
    return commentId;
  },
  planAnswered: (input, commentId, self, { ownReplies }) => {
    ownReplies.add(`${input.annotationId}/${commentId}`);
    return answeredReply(input, commentId, self);
  },
};

export const editComment: ThreadWrite<CommentEdit, void> = {
  plan: (input) => editWrite(input),
  send: async ({ annotationId, commentId, text, html = '', mentions }, { client }, place) => {
    const commentData = [{ commentId, ...toComment({ text, html, mentions }) }];
    requireSuccess(await client.comments.update({ ...place, annotationId, commentData }));
  },
};

export const deleteComment: ThreadWrite<CommentChoice, void> = {
  plan: (input) => deleteWrite(input),
  send: async ({ annotationId, commentId }, { client }, place) => {
    const commentIds = [commentId];
    requireSuccess(await client.comments.delete({ ...place, annotationId, commentIds }));
  },
};

export const deleteThread: ThreadWrite<{ annotationId: string }, void> = {
  plan: ({ annotationId }) => deleteThreadWrite(annotationId),
  send: async ({ annotationId }, { client }, place) => {
    const annotationIds = [annotationId];
    requireSuccess(await client.commentAnnotations.delete({ ...place, annotationIds }));
  },
};

export const react: ThreadWrite<ReactionChange, void> = {
  plan: (input, self) => reactionWrite(input, self),
  send: async ({ remove, ...input }, { client }, place) => {
    const change = remove ? client.reactions.delete : client.reactions.add;
    requireSuccess<Outcomes[string]>(await change({ ...place, ...input }));
  },
};

export const setStatus: ThreadWrite<StatusChange, void> = {
  plan: (input) => statusWrite(input),
  send: async ({ annotationId, status }, { client }, place) => {
    const updatedData = { status: statusInput(status) };
    const changed = await client.commentAnnotations.update({
      ...place,
      annotationIds: [annotationId],
      updatedData,
    });
    requireSuccess(changed);
  },
};

export const suggestEdit: ThreadWrite<NewSuggestion, string> = {
  plan: (input) => pendingWrite(idOf(input)),
  send: async (input, { client }, place) => {
    const { editorId, ...suggestion } = input;
    const suggestions = [{ ...suggestion, annotationId: idOf(input) }];
    return requireSuccess(await client.suggestions.add({ ...place, editorId, suggestions }))
      .annotationId;
  },
};

const decision = (verb: 'accept' | 'reject'): ThreadWrite<SuggestionChoice, void> => ({
  plan: ({ annotationId }) =>
    pendingWrite(annotationId, (thread) => suggestionOf(thread)?.status !== 'pending'),
  send: async ({ annotationId, editorId }, { client }, place) => {
    const annotationIds = [annotationId];
    requireSuccess(await client.suggestions[verb]({ ...place, editorId, annotationIds }));
  },
});

export const acceptSuggestion = decision('accept');
export const rejectSuggestion = decision('reject');

/**
 * The writes of a user to the threads of a document. Each is shown at once, and taken back if it fails;
 * suggestions wait for the server, which compares them with the text.
 *
 * @returns functions that reject with a CollaborationError when the server refused the write
 */
export function threadActions(client: CollaborationClient, place: Place) {
  const collaboration = collaborationOf(client);
  const { organizationId, documentId } = place;
  const write = <Input, Output>(kind: ThreadWrite<Input, Output>) =>
    perform(collaboration, mutationOf(collaboration, { organizationId, documentId }, kind));
  return {
    /** Resolves to the id of the thread. */
    createThread: write(createThread),
    /** Resolves to the id of the comment. */
    reply: write(reply),
    /** Changes the text of one's own comment. */
    editComment: write(editComment),
    /** Deletes one's own comment. Its thread stays. */
    deleteComment: write(deleteComment),
    /** Deletes a thread of one's own with all its comments. */
    deleteThread: write(deleteThread),
    /** Reacts to a comment, or takes a reaction back. */
    react: write(react),
    setStatus: write(setStatus),
    /** Suggests an edit of a text. Resolves to the id of its thread. */
    suggestEdit: write(suggestEdit),
    /**
     * Applies a suggestion to the text, and resolves its thread. Rejects with `FAILED_PRECONDITION` if
     * the text has changed; `error.details.present` is the text that is there now.
     */
    acceptSuggestion: write(acceptSuggestion),
    /** Leaves the text as it is, and resolves the thread of the suggestion. */
    rejectSuggestion: write(rejectSuggestion),
    /** Marks a thread, or notifications, as read. */
    markRead: perform(collaboration, markReadOf(collaboration, { organizationId, documentId })),
  };
}

export type ThreadActions = ReturnType<typeof threadActions>;

const perform =
  <Input, Output, Result>(
    { cache }: Collaboration,
    options: MutationObserverOptions<Output, CollaborationError, Input, Result>,
  ) =>
  (input: Input): Promise<Output> =>
    cache.getMutationCache().build(cache, options).execute(input);
