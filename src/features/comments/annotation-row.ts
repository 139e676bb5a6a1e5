import type { AgentIdentity } from '../../api/fields.ts';
import { type Sql, sql } from '../../platform/database/database.ts';
import type { Status } from './statuses.ts';

/** A user object from a caller (specification 2.9), with the stored fields of the user added. */
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
  /** Whether a user wrote the comment, and not the customer's server. Responses leave this out. */
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

export interface Visibility {
  type: 'public' | 'organizationPrivate' | 'restricted';
  organizationId?: string | undefined;
  userIds?: string[] | undefined;
}

/** The fields of an annotation that are stored as JSON. */
interface AnnotationFields extends Record<string, unknown> {
  location?: Record<string, unknown> | undefined;
  locationId?: string | number | undefined;
  assignedTo?: NamedUserObject | undefined;
  suggestion?: Record<string, unknown> | undefined;
  /** Whether `pageInfo` is from a user, and not from the customer's server. Responses leave this out. */
  isByUser?: boolean | undefined;
  agent?: AgentIdentity | undefined;
}

/** An annotation without its comments, reactions and subscriptions. */
export interface AnnotationRow {
  annotationId: string;
  organizationId: string;
  documentId: string;
  folderId: string | null;
  annotationNumber: number;
  type: 'comment' | 'suggestion';
  from: NamedUserObject;
  status: Status;
  resolvedBy: string | null;
  visibility: Visibility;
  access: Record<string, string[]> | null;
  fields: AnnotationFields;
  nextCommentId: number;
  createdAt: number;
  lastUpdated: number;
  lastCommentAt: number;
  lastCommentBy: string;
}

export interface FullAnnotation extends AnnotationRow {
  comments: CommentRow[];
  reactions: ReactionRow[];
  subscriptions: SubscriptionRow[];
}

const ownColumns: Sql = sql`
  a.annotation_id AS "annotationId", a.organization_id AS "organizationId",
  a.document_id AS "documentId", a.folder_id AS "folderId",
  a.annotation_number AS "annotationNumber", a.type, a.from_user AS "from", a.status,
  a.resolved_by AS "resolvedBy", a.visibility, a.access, a.fields,
  a.next_comment_id::float8 AS "nextCommentId", a.created_at::float8 AS "createdAt",
  a.last_updated::float8 AS "lastUpdated", a.last_comment_at::float8 AS "lastCommentAt",
  a.last_comment_by AS "lastCommentBy"`;

/** SQL: the columns of a `FullAnnotation`, for the row `a`. Each subquery reads one range of a primary key. */
export const fullColumns = (tenantId: string): Sql => sql`
  ${ownColumns},
  COALESCE((
    SELECT json_agg(json_build_object('commentId', c.comment_id, 'from', c.from_user,
      'status', c.status, 'content', c.content, 'createdAt', c.created_at,
      'lastUpdated', c.last_updated) ORDER BY c.comment_id)
    FROM comments c WHERE c.tenant_id = ${tenantId} AND c.annotation_id = a.annotation_id
  ), '[]') AS comments,
  COALESCE((
    SELECT json_agg(json_build_object('commentId', r.comment_id, 'icon', r.icon,
      'reactionId', r.reaction_id, 'user', r."user", 'lastUpdated', r.last_updated)
      ORDER BY r.comment_id, r.last_updated, r.user_id)
    FROM comment_reactions r
    WHERE r.tenant_id = ${tenantId} AND r.annotation_id = a.annotation_id
  ), '[]') AS reactions,
  COALESCE((
    SELECT json_agg(json_build_object('user', u."user", 'subscription', u.subscription)
      ORDER BY u.user_id)
    FROM annotation_users u
    WHERE u.tenant_id = ${tenantId} AND u.annotation_id = a.annotation_id
      AND u.subscription IS NOT NULL
  ), '[]') AS subscriptions`;
