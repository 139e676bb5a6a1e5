import type { CommentStatus, StatusInput, User } from '../../api/contract.ts';
import type { CommentDraft, NewThread } from './inputs.ts';
import type { Thread, ThreadComment } from './thread.ts';

// Threads and comments as they are shown until the server has stored them.

/** Splits the input of a new thread into the draft of its first comment and the fields of the thread itself. */
export function splitDraft<Input extends NewThread>({
  text,
  html,
  mentions,
  attachments,
  ...fields
}: Input) {
  return [{ text, html, mentions, attachments }, fields] as const;
}

export function pendingThread(input: NewThread & { annotationId: string }, from: User): Thread {
  const [draft, fields] = splitDraft(input);
  const at = Date.now();
  return {
    annotationNumber: Number.MAX_SAFE_INTEGER,
    annotationIndex: 0,
    type: 'comment' as const,
    createdAt: at,
    lastUpdated: at,
    hasDraftComments: false,
    metadata: {},
    subscribedUsers: {},
    unsubscribedUsers: {},
    subscribedGroups: {},
    customList: [],
    ...fields,
    from,
    status: statusOf(fields.status?.id ?? 'OPEN', fields.status),
    visibilityConfig: { type: 'public' as const, ...fields.visibility },
    context: undefined,
    priority: fields.priority && { ...fields.priority },
    comments: [pendingComment(1, draft, from)],
    isPending: true,
  };
}

export function pendingComment(
  commentId: number,
  { text, html = '', mentions = [], attachments = [] }: CommentDraft,
  from: User,
): ThreadComment {
  const at = Date.now();
  return {
    commentId,
    type: 'text',
    status: 'added',
    isDraft: false,
    isCommentTextAvailable: text !== '',
    commentText: text,
    commentHtml: html,
    createdAt: at,
    lastUpdated: new Date(at).toISOString(),
    to: [],
    toOrganizationUserGroup: [],
    taggedUserContacts: mentions,
    attachments,
    recorders: [],
    customList: [],
    reactionAnnotationIds: [],
    reactionAnnotations: [],
    from,
    isPending: true,
  };
}

/** The types of built-in statuses. All other statuses are `default`, unless their input has a type. */
const BUILT_IN_TYPES: Record<string, CommentStatus['type']> = {
  IN_PROGRESS: 'ongoing',
  RESOLVED: 'terminal',
};

export const statusOf = (id: string, given?: Partial<StatusInput>): CommentStatus => ({
  type: BUILT_IN_TYPES[id] ?? 'default',
  ...given,
  id,
});
