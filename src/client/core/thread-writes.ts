import type { NewComment, Outcomes, StatusInput } from '../../api/contract.ts';
import { randomId } from '../random-id.ts';
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
import type { Thread, ThreadComment } from './thread.ts';
import type { Write } from './thread-cache.ts';
import { requireSuccess, type ThreadWrite } from './write.ts';

/** The kinds of writes: how each looks until the server has answered, and how it is sent. */

const ids = new WeakMap<object, string>();

/** The id of a new thread, the same at each call with one input. Each write has an input of its own. */
function idOf(input: NewThread | NewSuggestion): string {
  const id = input.annotationId ?? ids.get(input) ?? randomId();
  ids.set(input, id);
  return id;
}

const toComment = ({ text, html, mentions, attachments }: CommentDraft): NewComment => ({
  commentText: text,
  commentHtml: html,
  taggedUserContacts: mentions,
  attachments,
});

/** A write that changes only the comments of a thread. */
const changeComments =
  (change: (comments: ThreadComment[]) => ThreadComment[]): Write['apply'] =>
  (thread) =>
    thread && { ...thread, comments: change(thread.comments) };

export const createThread: ThreadWrite<NewThread, string> = {
  plan: (input, self) => {
    const annotationId = idOf(input);
    const pending = pendingThread(annotationId, input, self);
    return {
      annotationId,
      isNew: true,
      apply: (thread) => thread ?? pending,
      isReflectedIn: () => true,
    };
  },
  send: async (input, { client }, place, options) => {
    const [draft, fields] = partsOf(input);
    const annotation = { ...fields, annotationId: idOf(input), commentData: [toComment(draft)] };
    const commentAnnotations = [annotation];
    const added = await client.commentAnnotations.add({ ...place, commentAnnotations }, options);
    return requireSuccess(added).annotationId;
  },
};

export const reply: ThreadWrite<NewReply, number> = {
  plan: (input, self, { cache, ownReplies }, place) => {
    const { annotationId } = input;
    const shown = commentIdsOf(cache, place, annotationId);
    // A negative id shows that the server has not stored the comment.
    const pending = pendingComment(-Date.now(), input, self);
    // Until the answer gives the id of the reply, an event may bring it as an unknown comment.
    const mayBeReply = ({ commentId, from, isPending }: ThreadComment) =>
      !isPending &&
      from.userId === self.userId &&
      !shown.has(commentId) &&
      !ownReplies.has(`${annotationId}/${commentId}`);
    return {
      annotationId,
      apply: changeComments((all) => [...all.filter((each) => !mayBeReply(each)), pending]),
      isReflectedIn: () => false,
    };
  },
  send: async ({ annotationId, ...draft }, { client }, place, options) => {
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
      annotationId,
      apply: changeComments((all) => (all.some(isReply) ? all : [...all, comment])),
      isReflectedIn: ({ comments }) => comments.some(isReply),
    };
  },
};

export const editComment: ThreadWrite<CommentEdit, void> = {
  plan: ({ annotationId, commentId, text, html = '', mentions }) => {
    /** Whether the comment shows the edit already; true for every comment that is not edited. */
    const isDone = (comment: ThreadComment) =>
      comment.commentId !== commentId ||
      (comment.commentText === text && comment.commentHtml === html);
    const edit = (comment: ThreadComment): ThreadComment =>
      isDone(comment)
        ? comment
        : {
            ...comment,
            commentText: text,
            commentHtml: html,
            isCommentTextAvailable: text !== '',
            taggedUserContacts: mentions ?? comment.taggedUserContacts,
            status: 'updated',
            isPending: true,
          };
    return {
      annotationId,
      apply: changeComments((all) => all.map(edit)),
      isReflectedIn: ({ comments }) => comments.every(isDone),
    };
  },
  send: async (
    { annotationId, commentId, text, html = '', mentions },
    { client },
    place,
    options,
  ) => {
    const commentData = [{ commentId, ...toComment({ text, html, mentions }) }];
    requireSuccess(await client.comments.update({ ...place, annotationId, commentData }, options));
  },
};

export const deleteComment: ThreadWrite<CommentChoice, void> = {
  plan: ({ annotationId, commentId }) => {
    const isOther = (comment: ThreadComment) => comment.commentId !== commentId;
    return {
      annotationId,
      apply: changeComments((all) => all.filter(isOther)),
      isReflectedIn: ({ comments }) => comments.every(isOther),
    };
  },
  send: async ({ annotationId, commentId }, { client }, place, options) => {
    const commentIds = [commentId];
    requireSuccess(await client.comments.delete({ ...place, annotationId, commentIds }, options));
  },
};

export const deleteThread: ThreadWrite<{ annotationId: string }, void> = {
  plan: ({ annotationId }) => ({
    annotationId,
    apply: () => undefined,
    isReflectedIn: () => false,
  }),
  send: async ({ annotationId }, { client }, place, options) => {
    const annotationIds = [annotationId];
    requireSuccess(await client.commentAnnotations.delete({ ...place, annotationIds }, options));
  },
};

export const react: ThreadWrite<ReactionChange, void> = {
  plan: ({ annotationId, commentId, icon, remove = false }, self) => {
    /** Whether the comment shows the change already; true for every comment that is not changed. */
    const isDone = ({ commentId: id, reactionAnnotations }: ThreadComment) => {
      const hasReacted = reactionAnnotations.some(
        (each) =>
          each.icon === icon && each.fromUsers.some(({ from }) => from.userId === self.userId),
      );
      return id !== commentId || hasReacted === !remove;
    };
    const changed = (comment: ThreadComment): ThreadComment => {
      if (isDone(comment)) return comment;
      const kept = comment.reactionAnnotations;
      const old = kept.find((each) => each.icon === icon);
      const others = (old?.fromUsers ?? []).filter(({ from }) => from.userId !== self.userId);
      const lastUpdated = Date.now();
      const fromUsers = remove ? others : [...others, { lastUpdated, from: self }];
      const reaction = old ?? {
        annotationId: `${annotationId}/${icon}`,
        type: 'reaction' as const,
        icon,
        commentAnnotationId: annotationId,
        lastUpdated,
      };
      const after = { ...reaction, fromUsers };
      const reactionAnnotations = old
        ? kept.flatMap((each) => (each !== old ? each : fromUsers.length > 0 ? after : []))
        : [...kept, after];
      return { ...comment, reactionAnnotations };
    };
    return {
      annotationId,
      apply: changeComments((all) => all.map(changed)),
      isReflectedIn: ({ comments }) => comments.every(isDone),
    };
  },
  send: async ({ remove, ...input }, { client }, place, options) => {
    const change = remove ? client.reactions.delete : client.reactions.add;
    requireSuccess<Outcomes[string]>(await change({ ...place, ...input }, options));
  },
};

const statusInput = (status: string | StatusInput): StatusInput =>
  typeof status === 'string' ? { id: status } : status;

export const setStatus: ThreadWrite<StatusChange, void> = {
  plan: ({ annotationId, status }) => {
    const { id, ...given } = statusInput(status);
    return {
      annotationId,
      apply: (thread) =>
        thread && { ...thread, status: { ...thread.status, ...statusOf(id, given) } },
      isReflectedIn: (thread) => thread.status.id === id,
    };
  },
  send: async ({ annotationId, status }, { client }, place, options) => {
    const updatedData = { status: statusInput(status) };
    const input = { ...place, annotationIds: [annotationId], updatedData };
    requireSuccess(await client.commentAnnotations.update(input, options));
  },
};

/** A write whose effect is not known before the answer: the thread is pending until then. */
const pendingWrite = (
  annotationId: string,
  isReflectedIn: (thread: Thread) => boolean = () => true,
): Write => ({
  annotationId,
  apply: (thread) => thread && { ...thread, isPending: true },
  isReflectedIn,
});

export const suggestEdit: ThreadWrite<NewSuggestion, string> = {
  plan: (input) => pendingWrite(idOf(input)),
  send: async (input, { client }, place, options) => {
    const { editorId, ...suggestion } = input;
    const suggestions = [{ ...suggestion, annotationId: idOf(input) }];
    const added = await client.suggestions.add({ ...place, editorId, suggestions }, options);
    return requireSuccess(added).annotationId;
  },
};

const decision = (verb: 'accept' | 'reject'): ThreadWrite<SuggestionChoice, void> => ({
  plan: ({ annotationId }) =>
    pendingWrite(annotationId, (thread) => suggestionOf(thread)?.status !== 'pending'),
  send: async ({ annotationId, editorId }, { client }, place, options) => {
    const annotationIds = [annotationId];
    requireSuccess(await client.suggestions[verb]({ ...place, editorId, annotationIds }, options));
  },
});

export const acceptSuggestion = decision('accept');
export const rejectSuggestion = decision('reject');
