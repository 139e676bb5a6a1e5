import type { NewComment, Outcomes, StatusInput, User } from '../../api/contract.ts';
import type {
  CommentChoice,
  CommentDraft,
  CommentEdit,
  NewReply,
  NewSuggestion,
  NewThread,
  ReactionChange,
  StatusChange,
  SuggestionChoice,
} from './inputs.ts';
import { commentIdsOf } from './merge-threads.ts';
import { pendingComment, pendingThread, splitDraft, statusOf } from './optimistic.ts';
import { suggestionOf } from './suggestion.ts';
import type { ThreadComment } from './thread.ts';
import { type Preview, requireSuccess, type ThreadWrite } from './write.ts';

// The kinds of writes: how each is shown until the server has responded, and how it is sent.

const toComment = ({ text, html, mentions, attachments }: CommentDraft): NewComment => ({
  commentText: text,
  commentHtml: html,
  taggedUserContacts: mentions,
  attachments,
});

/** Returns an `apply` that changes only the comments of a thread. */
const changeComments =
  (change: (comments: ThreadComment[]) => ThreadComment[]): Preview['apply'] =>
  (thread) =>
    thread && { ...thread, comments: change(thread.comments) };

/** Returns the preview of a write to one comment. @param isDone whether a comment already shows the write */
function changeComment(
  commentId: number,
  isDone: (comment: ThreadComment) => boolean,
  change: (comment: ThreadComment) => ThreadComment,
): Preview {
  const needsChange = (each: ThreadComment) => each.commentId === commentId && !isDone(each);
  return {
    apply: changeComments((all) => all.map((each) => (needsChange(each) ? change(each) : each))),
    isReflectedIn: ({ comments }) => !comments.some(needsChange),
  };
}

export const createThread: ThreadWrite<NewThread, string> = {
  preview: (input, self) => {
    const pending = pendingThread(input, self);
    return { isNew: true, apply: (thread) => thread ?? pending, isReflectedIn: () => true };
  },
  send: async (input, { client, documentRef, options }) => {
    const [draft, fields] = splitDraft(input);
    const commentAnnotations = [{ ...fields, commentData: [toComment(draft)] }];
    const added = await client.commentAnnotations.add(
      { ...documentRef, commentAnnotations },
      options,
    );
    return requireSuccess(added).annotationId;
  },
};

export const reply: ThreadWrite<NewReply, number> = {
  preview: (input, self, context) => {
    const { annotationId } = input;
    const shown = commentIdsOf(context, annotationId);
    // A negative id means that the server has not stored the comment yet.
    const pending = pendingComment(-Date.now(), input, self);
    // An event may deliver the stored reply before the response gives its id. Hide an unknown comment of the user until
    // then, so that the reply is not shown twice.
    const mayBeReply = ({ commentId, from, isPending }: ThreadComment) =>
      !isPending &&
      from.userId === self.userId &&
      !shown.has(commentId) &&
      !context.ownReplies.has(`${annotationId}/${commentId}`);
    return {
      apply: changeComments((all) => [...all.filter((each) => !mayBeReply(each)), pending]),
      isReflectedIn: () => false,
    };
  },
  send: async ({ annotationId, ...draft }, { client, documentRef, options }) => {
    const commentData = [toComment(draft)];
    const [commentId = 0] = await client.comments.add(
      { ...documentRef, annotationId, commentData },
      options,
    );
    return commentId;
  },
  previewAfterResponse: (input, commentId, self, { ownReplies }) => {
    const { annotationId } = input;
    ownReplies.add(`${annotationId}/${commentId}`);
    const comment = { ...pendingComment(commentId, input, self), isPending: false };
    const isReply = (each: ThreadComment) => each.commentId === commentId;
    return {
      apply: changeComments((all) => (all.some(isReply) ? all : [...all, comment])),
      isReflectedIn: ({ comments }) => comments.some(isReply),
    };
  },
};

export const editComment: ThreadWrite<CommentEdit, void> = {
  preview: ({ commentId, text, html = '', mentions }) =>
    changeComment(
      commentId,
      ({ commentText, commentHtml }) => commentText === text && commentHtml === html,
      (comment) => ({
        ...comment,
        commentText: text,
        commentHtml: html,
        isCommentTextAvailable: text !== '',
        taggedUserContacts: mentions ?? comment.taggedUserContacts,
        status: 'updated',
        isPending: true,
      }),
    ),
  send: async ({ annotationId, commentId, ...edit }, { client, documentRef, options }) => {
    const { text, html = '', mentions } = edit;
    const commentData = [{ commentId, ...toComment({ text, html, mentions }) }];
    requireSuccess(
      await client.comments.update({ ...documentRef, annotationId, commentData }, options),
    );
  },
};

export const deleteComment: ThreadWrite<CommentChoice, void> = {
  preview: ({ commentId }) => {
    const isOther = (comment: ThreadComment) => comment.commentId !== commentId;
    return {
      apply: changeComments((all) => all.filter(isOther)),
      isReflectedIn: ({ comments }) => comments.every(isOther),
    };
  },
  send: async ({ annotationId, commentId }, { client, documentRef, options }) => {
    const commentIds = [commentId];
    requireSuccess(
      await client.comments.delete({ ...documentRef, annotationId, commentIds }, options),
    );
  },
};

export const deleteThread: ThreadWrite<{ annotationId: string }, void> = {
  preview: () => ({ apply: () => undefined, isReflectedIn: () => false }),
  send: async ({ annotationId }, { client, documentRef, options }) => {
    const annotationIds = [annotationId];
    requireSuccess(
      await client.commentAnnotations.delete({ ...documentRef, annotationIds }, options),
    );
  },
};

export const react: ThreadWrite<ReactionChange, void> = {
  preview: ({ annotationId, commentId, icon, remove = false }, self) => {
    const isOther = ({ from }: { from: User }) => from.userId !== self.userId;
    const hasReaction = ({ reactionAnnotations }: ThreadComment) =>
      reactionAnnotations.some((each) => each.icon === icon && !each.fromUsers.every(isOther));
    const isDone = (comment: ThreadComment) => hasReaction(comment) !== remove;
    return changeComment(commentId, isDone, (comment) => {
      const reactions = comment.reactionAnnotations;
      const stored = reactions.find((each) => each.icon === icon);
      const lastUpdated = Date.now();
      const reaction = stored ?? {
        annotationId: `${annotationId}/${icon}`,
        type: 'reaction' as const,
        icon,
        commentAnnotationId: annotationId,
        lastUpdated,
        fromUsers: [],
      };
      const others = reaction.fromUsers.filter(isOther);
      const fromUsers = remove ? others : [...others, { lastUpdated, from: self }];
      const changed = fromUsers.length > 0 ? [{ ...reaction, fromUsers }] : [];
      const at = stored ? reactions.indexOf(stored) : reactions.length;
      return { ...comment, reactionAnnotations: reactions.toSpliced(at, 1, ...changed) };
    });
  },
  send: async ({ remove, ...input }, { client, documentRef, options }) => {
    const change = remove ? client.reactions.delete : client.reactions.add;
    requireSuccess<Outcomes[string]>(await change({ ...documentRef, ...input }, options));
  },
};

const statusInput = (status: string | StatusInput): StatusInput =>
  typeof status === 'string' ? { id: status } : status;

export const setStatus: ThreadWrite<StatusChange, void> = {
  preview: ({ status }) => {
    const { id, ...given } = statusInput(status);
    return {
      apply: (thread) =>
        thread && { ...thread, status: { ...thread.status, ...statusOf(id, given) } },
      isReflectedIn: (thread) => thread.status.id === id,
    };
  },
  send: async ({ annotationId, status }, { client, documentRef, options }) => {
    const updatedData = { status: statusInput(status) };
    const input = { ...documentRef, annotationIds: [annotationId], updatedData };
    requireSuccess(await client.commentAnnotations.update(input, options));
  },
};

/** Returns the preview of a write whose effect is unknown until the server responds: the thread is shown as pending. */
const previewAsPending = (isReflectedIn: Preview['isReflectedIn']): Preview => ({
  apply: (thread) => thread && { ...thread, isPending: true },
  isReflectedIn,
});

export const suggestEdit: ThreadWrite<NewSuggestion, string> = {
  preview: () => previewAsPending(() => true),
  send: async (input, { client, documentRef, options }) => {
    const { editorId, ...suggestion } = input;
    const suggestions = [suggestion];
    const added = await client.suggestions.add({ ...documentRef, editorId, suggestions }, options);
    return requireSuccess(added).annotationId;
  },
};

const decisionWrite = (verb: 'accept' | 'reject'): ThreadWrite<SuggestionChoice, void> => ({
  preview: () => previewAsPending((thread) => suggestionOf(thread)?.status !== 'pending'),
  send: async ({ annotationId, editorId }, { client, documentRef, options }) => {
    const annotationIds = [annotationId];
    requireSuccess(
      await client.suggestions[verb]({ ...documentRef, editorId, annotationIds }, options),
    );
  },
});

export const acceptSuggestion = decisionWrite('accept');
export const rejectSuggestion = decisionWrite('reject');
