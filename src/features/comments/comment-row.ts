import type { AgentIdentity } from '../../api/fields.ts';

/** A user object as somebody gave it (2.9), completed with what is known. */
export interface NamedUserObject extends Record<string, unknown> {
  userId: string;
}

export interface CommentContent extends Record<string, unknown> {
  commentText?: string | undefined;
  commentHtml?: string | undefined;
  isDraft?: boolean | undefined;
  taggedUserContacts?: NamedUserObject[] | undefined;
  /** Whether a user wrote it, and not the customer's own server. Never shown. */
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

/** What a user is to an annotation. `none`: unsubscribed. */
export interface PersonRow {
  user: NamedUserObject;
  subscription: 'auto' | 'manual' | 'none';
}
