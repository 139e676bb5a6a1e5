import type {
  NewCommentAnnotation,
  StatusInput,
  SuggestionInput,
  UserInput,
} from '../../api/contract.ts';

// The inputs of the hooks and actions that write.

export interface CommentDraft {
  text: string;
  /** Stored unchanged. Sanitize it before you show it. */
  html?: string | undefined;
  /** The mentioned users, who are notified. */
  mentions?: UserInput[] | undefined;
  /** Any JSON values, such as the results of `uploadFile`. */
  attachments?: unknown[] | undefined;
}

export type NewThread = CommentDraft &
  Omit<NewCommentAnnotation, 'commentData' | 'annotationId'> & {
    /** The id of the new thread; a random id by default. */
    annotationId?: string | undefined;
  };

export type NewReply = CommentDraft & { annotationId: string };

export interface CommentChoice {
  annotationId: string;
  commentId: number;
}

/** Replaces the text of a comment. Without `html`, the stored HTML is removed. */
export interface CommentEdit extends CommentChoice, Omit<CommentDraft, 'attachments'> {}

export interface ReactionChange extends CommentChoice {
  /** The reaction, such as `👍`. */
  icon: string;
  /** Removes the user's reaction instead of adding it. */
  remove?: boolean | undefined;
}

export interface StatusChange {
  annotationId: string;
  /** `OPEN`, `IN_PROGRESS`, `RESOLVED`, or one of the app's own. */
  status: string | StatusInput;
}

/** An edit to suggest. For selected text, get `quote` and `position` with `passageOf(anchor)` of `/anchors`. */
export type NewSuggestion = Omit<SuggestionInput, 'from'> & {
  /** The editor that holds the text. */
  editorId: string;
};

/** A suggestion to accept or reject. */
export interface SuggestionChoice {
  annotationId: string;
  /** The `editorId` that `suggestionOf(thread)` returns. */
  editorId: string;
}
