/*
 * The types of `@blocknote/core/comments` that a thread store uses. They are declared again here, since
 * BlockNote's own types do not compile with every TypeScript setting.
 */

/** The blocks of a comment, whatever schema they have. */
export type CommentBody = unknown[];

interface CommentReactionData {
  emoji: string;
  createdAt: Date;
  userIds: string[];
}

export interface CommentData {
  type: 'comment';
  id: string;
  userId: string;
  createdAt: Date;
  updatedAt: Date;
  reactions: CommentReactionData[];
  metadata: unknown;
  body: CommentBody;
  deletedAt?: never;
}

export interface ThreadData {
  type: 'thread';
  id: string;
  createdAt: Date;
  updatedAt: Date;
  comments: CommentData[];
  resolved: boolean;
  resolvedUpdatedAt?: Date;
  resolvedBy?: string;
  metadata: unknown;
}

export interface NewCommentData {
  body: CommentBody;
  metadata?: unknown;
}

interface SomeComment {
  userId: string;
  reactions: CommentReactionData[];
}

/** Decides which actions BlockNote's views offer to the user. */
export interface ThreadStoreAuth {
  canCreateThread(): boolean;
  canAddComment(thread: { comments: SomeComment[] }): boolean;
  canUpdateComment(comment: SomeComment): boolean;
  canDeleteComment(comment: SomeComment): boolean;
  canDeleteThread(thread: { comments: SomeComment[] }): boolean;
  canResolveThread(thread: { comments: SomeComment[] }): boolean;
  canUnresolveThread(thread: { comments: SomeComment[] }): boolean;
  canAddReaction(comment: SomeComment, emoji?: string): boolean;
  canDeleteReaction(comment: SomeComment, emoji?: string): boolean;
}

/**
 * Rules like the server's while `commentAccess` is `editors`: editors may comment, and may change and delete
 * their own comments and threads. Where viewers may comment, give `auth` with rules of your own.
 */
export function rulesOf(userId: string, role: 'editor' | 'viewer'): ThreadStoreAuth {
  const isEditor = () => role === 'editor';
  const isOwn = (comment?: SomeComment) => isEditor() && comment?.userId === userId;
  const hasReacted = ({ reactions }: SomeComment, emoji: string) =>
    reactions.some((each) => each.emoji === emoji && each.userIds.includes(userId));
  return {
    canCreateThread: isEditor,
    canAddComment: isEditor,
    canUpdateComment: isOwn,
    canDeleteComment: isOwn,
    canDeleteThread: ({ comments }) => isOwn(comments[0]),
    canResolveThread: isEditor,
    canUnresolveThread: isEditor,
    canAddReaction: (comment, emoji) =>
      isEditor() && (emoji === undefined || !hasReacted(comment, emoji)),
    canDeleteReaction: (comment, emoji) =>
      isEditor() && (emoji === undefined || hasReacted(comment, emoji)),
  };
}
