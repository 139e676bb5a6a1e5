import type { NewCommentAnnotation, StatusInput, UserInput } from '../../api/contract.ts';

/** The inputs of users, as the hooks take them. */

export interface CommentDraft {
  text: string;
  /** Stored as it is. Whoever shows it has to clean it. */
  html?: string;
  /** The users who are mentioned: they are notified. */
  mentions?: UserInput[];
  attachments?: unknown[];
}

export type NewThread = CommentDraft &
  Omit<NewCommentAnnotation, 'commentData' | 'annotationId'> & {
    /** Chosen at random by default. */
    annotationId?: string;
  };

export type NewReply = CommentDraft & { annotationId: string };

/** The text and what belongs to it: without `html`, stored HTML is removed. */
export interface CommentEdit extends Omit<CommentDraft, 'attachments'> {
  annotationId: string;
  commentId: number;
}

export interface CommentChoice {
  annotationId: string;
  commentId: number;
}

export interface ReactionChange {
  annotationId: string;
  commentId: number;
  /** Such as `👍`. */
  icon: string;
  /** Takes the user's reaction back. */
  remove?: boolean;
}

export interface StatusChange {
  annotationId: string;
  /** `OPEN`, `IN_PROGRESS`, `RESOLVED`, or one of the app's own. */
  status: string | StatusInput;
}
