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
import { partsOf, pendingComment, pendingThread, statusOf } from './optimistic.ts';
import { suggestionOf } from './suggestion.ts';
import type { ThreadComment } from './thread.ts';
import { type Plan, requireSuccess, type ThreadWrite } from './write.ts';

/** The kinds of writes: how each looks until the server has answered, and how it is sent. */

const toComment = ({ text, html, mentions, attachments }: CommentDraft): NewComment => ({
  commentText: text,
  commentHtml: html,
  taggedUserContacts: mentions,
  attachments,
});

/** A write that changes only the comments of a thread. */
const changeComments =
  (change: (comments: ThreadComment[]) => ThreadComment[]): Plan['apply'] =>
  (thread) =>
    thread && { ...thread, comments: change(thread.comments) };

/** A write to one comment. @param isDone whether a comment shows the write already */
function changeComment(
  commentId: number,
  isDone: (comment: ThreadComment) => boolean,
  change: (comment: ThreadComment) => ThreadComment,
): Plan {
  const isToChange = (each: ThreadComment) => each.commentId === commentId && !isDone(each);
  return {
    apply: changeComments((all) => all.map((each) => (isToChange(each) ? change(each) : each))),
    isReflectedIn: ({ comments }) => !comments.some(isToChange),
  };
}

export const createThread: ThreadWrite<NewThread, string> = {
  plan: (input, self) => {
    const pending = pendingThread(input, self);
    return { isNew: true, apply: (thread) => thread ?? pending, isReflectedIn: () => true };
  },
  send: async (input, { client, place, options }) => {
    const [draft, fields] = partsOf(input);
    const commentAnnotations = [{ ...fields, commentData: [toComment(draft)] }];
    const added = await client.commentAnnotations.add({ ...place, commentAnnotations }, options);
    return requireSuccess(added).annotationId;
  },
};

export const reply: ThreadWrite<NewReply, number> = {
  plan: (input, self, context) => {
    const { annotationId } = input;
    const shown = commentIdsOf(context, annotationId);
    // A negative id shows that the server has not stored the comment.
    const pending = pendingComment(-Date.now(), input, self);
    // Until the answer gives the id of the reply, an event may bring it as an unknown comment.
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
  send: async ({ annotationId, ...draft }, { client, place, options }) => {
    const commentData = [toComment(draft)];
    const [commentId = 0] = await client.comments.add(
      { ...place, annotationId, commentData },
      options,
    );
    return commentId;
  },
  planAnswered: (input, commentId, self, { ownReplies }) => {
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
  plan: ({ commentId, text, html = '', mentions }) =>
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
  send: async ({ annotationId, commentId, ...edit }, { client, place, options }) => {
    const { text, html = '', mentions } = edit;
    const commentData = [{ commentId, ...toComment({ text, html, mentions }) }];
    requireSuccess(await client.comments.update({ ...place, annotationId, commentData }, options));
  },
};

export const deleteComment: ThreadWrite<CommentChoice, void> = {
  plan: ({ commentId }) => {
    const isOther = (comment: ThreadComment) => comment.commentId !== commentId;
    return {
      apply: changeComments((all) => all.filter(isOther)),
      isReflectedIn: ({ comments }) => comments.every(isOther),
    };
  },
  send: async ({ annotationId, commentId }, { client, place, options }) => {
    const commentIds = [commentId];
    requireSuccess(await client.comments.delete({ ...place, annotationId, commentIds }, options));
  },
};

export const deleteThread: ThreadWrite<{ annotationId: string }, void> = {
  plan: () => ({ apply: () => undefined, isReflectedIn: () => false }),
  send: async ({ annotationId }, { client, place, options }) => {
    const annotationIds = [annotationId];
    requireSuccess(await client.commentAnnotations.delete({ ...place, annotationIds }, options));
  },
};

export const react: ThreadWrite<ReactionChange, void> = {
  plan: ({ annotationId, commentId, icon, remove = false }, self) => {
    const isOther = ({ from }: { from: User }) => from.userId !== self.userId;
    const isDone = ({ reactionAnnotations }: ThreadComment) =>
      remove ===
      reactionAnnotations.every((each) => each.icon !== icon || each.fromUsers.every(isOther));
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
  send: async ({ remove, ...input }, { client, place, options }) => {
    const change = remove ? client.reactions.delete : client.reactions.add;
    requireSuccess<Outcomes[string]>(await change({ ...place, ...input }, options));
  },
};

const statusInput = (status: string | StatusInput): StatusInput =>
  typeof status === 'string' ? { id: status } : status;

export const setStatus: ThreadWrite<StatusChange, void> = {
  plan: ({ status }) => {
    const { id, ...given } = statusInput(status);
    return {
      apply: (thread) =>
        thread && { ...thread, status: { ...thread.status, ...statusOf(id, given) } },
      isReflectedIn: (thread) => thread.status.id === id,
    };
  },
  send: async ({ annotationId, status }, { client, place, options }) => {
    const updatedData = { status: statusInput(status) };
    const input = { ...place, annotationIds: [annotationId], updatedData };
    requireSuccess(await client.commentAnnotations.update(input, options));
  },
};

/** A write whose effect is not known before the answer: the thread is pending until then. */
const pendingWrite = (isReflectedIn: Plan['isReflectedIn']): Plan => ({
  apply: (thread) => thread && { ...thread, isPending: true },
  isReflectedIn,
});

export const suggestEdit: ThreadWrite<NewSuggestion, string> = {
  plan: () => pendingWrite(() => true),
  send: async (input, { client, place, options }) => {
    const { editorId, ...suggestion } = input;
    const suggestions = [suggestion];
    const added = await client.suggestions.add({ ...place, editorId, suggestions }, options);
    return requireSuccess(added).annotationId;
  },
};

const decision = (verb: 'accept' | 'reject'): ThreadWrite<SuggestionChoice, void> => ({
  plan: () => pendingWrite((thread) => suggestionOf(thread)?.status !== 'pending'),
  send: async ({ annotationId, editorId }, { client, place, options }) => {
    const annotationIds = [annotationId];
    requireSuccess(await client.suggestions[verb]({ ...place, editorId, annotationIds }, options));
  },
});

export const acceptSuggestion = decision('accept');
export const rejectSuggestion = decision('reject');
