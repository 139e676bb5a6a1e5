import type { AgentIdentity } from '../../api/fields.ts';

/** A user object as a caller gave it (specification 2.9), completed with stored fields. */
export interface NamedUserObject extends Record<string, unknown> {
  userId: string;
}

/** The fields of a comment that are stored as JSON. */
export interface CommentContent extends Record<string, unknown> {
  commentText?: string | undefined;
  commentHtml?: string | undefined;
  isDraft?: boolean | undefined;
  taggedUserContacts?: NamedUserObject[] | undefined;
  attachments?: unknown[] | undefined;
  /** Whether a user wrote the comment, and not the customer's server. No response shows it. */
  isByUser?: boolean | undefined;
  to?: NamedUserObject[] | undefined;
  agent?: AgentIdentity | undefined;
}

export interface CommentRow {
  commentId: number;
  from: NamedUserObject;
  status: 'added' | 'updated';
  content: CommentContent;
  createdAt: number;
  lastUpdated: number;
}

export interface ReactionRow {
  commentId: number;
  icon: string;
  reactionId: string;
  user: NamedUserObject;
  lastUpdated: number;
}

/** A user's subscription to an annotation. `none`: the user has unsubscribed. */
export interface SubscriptionRow {
  user: NamedUserObject;
  subscription: 'auto' | 'manual' | 'none';
}
