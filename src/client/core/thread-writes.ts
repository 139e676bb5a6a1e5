import type { NewComment, StatusInput, User } from '../../api/contract.ts';
import type {
  CommentChoice,
  CommentDraft,
  CommentEdit,
  NewReply,
  NewThread,
  ReactionChange,
  StatusChange,
} from './inputs.ts';
import { pendingComment, pendingThread, statusOf } from './optimistic.ts';
import type { Thread, ThreadComment } from './thread.ts';
import type { Write } from './thread-cache.ts';

export const toComment = ({ text, html, mentions, attachments }: CommentDraft): NewComment => ({
  commentText: text,
  commentHtml: html,
  taggedUserContacts: mentions,
  attachments,
});

export const statusInput = (status: string | StatusInput): StatusInput =>
  typeof status === 'string' ? { id: status } : status;

export function threadWrite(annotationId: string, input: NewThread, self: User): Write {
  const pending = pendingThread(annotationId, input, self);
  return { annotationId, isNew: true, apply: (thread) => thread ?? pending, isIn: () => true };
}

/**
 * @param shown the ids of the thread's comments at this moment
 * @param ownReplies the replies that earlier answers named, as `annotationId/commentId`
 */
export function replyWrite(
  input: NewReply,
  self: User,
  { shown, ownReplies }: { shown: ReadonlySet<number>; ownReplies: ReadonlySet<string> },
): Write {
  const { annotationId } = input;
  const pending = pendingComment(-Date.now(), input, self);
  // Until the answer names the reply, it may arrive in the thread unrecognized.
  const mayBeReply = ({ commentId, from, isPending }: ThreadComment) =>
    !isPending &&
    from.userId === self.userId &&
    !shown.has(commentId) &&
    !ownReplies.has(`${annotationId}/${commentId}`);
  return {
    annotationId,
    apply: (thread) =>
      thread &&
      withComments(thread, [...thread.comments.filter((each) => !mayBeReply(each)), pending]),
    isIn: () => false,
  };
}

/** The reply as the answer names it. */
export function answeredReply(input: NewReply, commentId: number, self: User): Write {
  const comment = { ...pendingComment(commentId, input, self), isPending: false };
  const isIn = ({ comments }: Thread) => comments.some((each) => each.commentId === commentId);
  return {
    annotationId: input.annotationId,
    apply: (thread) =>
      thread && !isIn(thread) ? withComments(thread, [...thread.comments, comment]) : thread,
    isIn,
  };
}

export function editWrite({ annotationId, commentId, ...draft }: CommentEdit): Write {
  const { text, html = '', mentions } = draft;
  const isEdited = (comment: ThreadComment) =>
    comment.commentText === text && comment.commentHtml === html;
  const edited = (comment: ThreadComment): ThreadComment =>
    comment.commentId !== commentId || isEdited(comment)
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
    apply: (thread) => thread && withComments(thread, thread.comments.map(edited)),
    isIn: ({ comments }) =>
      comments.every((comment) => comment.commentId !== commentId || isEdited(comment)),
  };
}

export function deleteWrite({ annotationId, commentId }: CommentChoice): Write {
  const isOther = (comment: ThreadComment) => comment.commentId !== commentId;
  return {
    annotationId,
    apply: (thread) => thread && withComments(thread, thread.comments.filter(isOther)),
    isIn: ({ comments }) => comments.every(isOther),
  };
}

export const deleteThreadWrite = (annotationId: string): Write => ({
  annotationId,
  apply: () => undefined,
  isIn: () => false,
});

export function reactionWrite(change: ReactionChange, self: User): Write {
  const { annotationId, commentId, icon, remove = false } = change;
  const has = ({ reactionAnnotations }: ThreadComment) =>
    reactionAnnotations.some(
      (each) =>
        each.icon === icon && each.fromUsers.some(({ from }) => from.userId === self.userId),
    );
  const changed = (comment: ThreadComment): ThreadComment => {
    if (comment.commentId !== commentId || has(comment) !== remove) return comment;
    const old = comment.reactionAnnotations.find((each) => each.icon === icon);
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
    const kept = comment.reactionAnnotations;
    const reactionAnnotations = old
      ? kept.flatMap((each) => (each !== old ? each : fromUsers.length > 0 ? after : []))
      : [...kept, after];
    return { ...comment, reactionAnnotations };
  };
  return {
    annotationId,
    apply: (thread) => thread && { ...thread, comments: thread.comments.map(changed) },
    isIn: ({ comments }) =>
      comments.every((comment) => comment.commentId !== commentId || has(comment) !== remove),
  };
}

export function statusWrite({ annotationId, status }: StatusChange): Write {
  const { id, ...given } = statusInput(status);
  return {
    annotationId,
    apply: (thread) =>
      thread && { ...thread, status: { ...thread.status, ...statusOf(id, given) } },
    isIn: (thread) => thread.status.id === id,
  };
}

/** A write whose effect is not known before the answer: the thread is pending until then. */
export const pendingWrite = (
  annotationId: string,
  isIn: (thread: Thread) => boolean = () => true,
): Write => ({
  annotationId,
  apply: (thread) => thread && { ...thread, isPending: true },
  isIn,
});

const withComments = (thread: Thread, comments: ThreadComment[]): Thread => ({
  ...thread,
  comments,
});
