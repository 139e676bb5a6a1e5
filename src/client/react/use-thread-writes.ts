import type { Outcomes } from '../../api/contract.ts';
import type {
  CommentChoice,
  CommentEdit,
  NewReply,
  NewThread,
  ReactionChange,
  StatusChange,
} from './inputs.ts';
import { commentIdsOf } from './stored-thread.ts';
import {
  answeredReply,
  deleteThreadWrite,
  deleteWrite,
  editWrite,
  reactionWrite,
  replyWrite,
  statusInput,
  statusWrite,
  threadWrite,
  toComment,
} from './thread-writes.ts';
import { requireSuccess, useWrite, type WriteHook } from './use-write.ts';

const ids = new WeakMap<object, string>();

/** The id of a new thread, the same at each call with one input. */
function idOf(input: NewThread): string {
  const id = input.annotationId ?? ids.get(input) ?? crypto.randomUUID();
  ids.set(input, id);
  return id;
}

/** Starts a thread: `mutate({ text, mentions, location })`. Resolves to its id. */
export const useCreateThread = (): WriteHook<NewThread, string> =>
  useWrite({
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
  });

/** Adds a comment to a thread: `mutate({ annotationId, text, mentions })`. Resolves to its id. */
export const useReply = (): WriteHook<NewReply, number> =>
  useWrite({
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
  });

/** Changes the text of one's own comment: `mutate({ annotationId, commentId, text, mentions })`. */
export const useEditComment = (): WriteHook<CommentEdit, void> =>
  useWrite({
    plan: (input) => editWrite(input),
    send: async ({ annotationId, commentId, text, html = '', mentions }, { client }, place) => {
      const commentData = [{ commentId, ...toComment({ text, html, mentions }) }];
      requireSuccess(await client.comments.update({ ...place, annotationId, commentData }));
    },
  });

/** Deletes one's own comment: `mutate({ annotationId, commentId })`. Its thread stays. */
export const useDeleteComment = (): WriteHook<CommentChoice, void> =>
  useWrite({
    plan: (input) => deleteWrite(input),
    send: async ({ annotationId, commentId }, { client }, place) => {
      const commentIds = [commentId];
      requireSuccess(await client.comments.delete({ ...place, annotationId, commentIds }));
    },
  });

/** Deletes a thread of one's own with all its comments: `mutate({ annotationId })`. */
export const useDeleteThread = (): WriteHook<{ annotationId: string }, void> =>
  useWrite({
    plan: ({ annotationId }) => deleteThreadWrite(annotationId),
    send: async ({ annotationId }, { client }, place) => {
      const annotationIds = [annotationId];
      requireSuccess(await client.commentAnnotations.delete({ ...place, annotationIds }));
    },
  });

/** Reacts to a comment, or takes a reaction back: `mutate({ annotationId, commentId, icon })`. */
export const useReaction = (): WriteHook<ReactionChange, void> =>
  useWrite({
    plan: (input, self) => reactionWrite(input, self),
    send: async ({ remove, ...input }, { client }, place) => {
      const change = remove ? client.reactions.delete : client.reactions.add;
      requireSuccess<Outcomes[string]>(await change({ ...place, ...input }));
    },
  });

/** Changes the status of a thread: `mutate({ annotationId, status: 'RESOLVED' })`. */
export const useSetStatus = (): WriteHook<StatusChange, void> =>
  useWrite({
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
  });
