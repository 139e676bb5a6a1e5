import type {
  CommentContent,
  CommentRow,
  FullAnnotation,
  ReactionRow,
  SubscriptionRow,
} from './annotation-row.ts';
import type {
  PresentedAnnotation,
  PresentedComment,
  PresentedReaction,
} from './response-schemas.ts';

/** Returns an annotation as read operations present it (specification 2.11). */
export function presentAnnotation(tenantId: string, row: FullAnnotation): PresentedAnnotation {
  const { organizationId, documentId } = row;
  const { isByUser: _, ...fields } = row.fields;
  const reactions = Map.groupBy(row.reactions, (reaction) => reaction.commentId);
  const comments = row.comments.map((comment) =>
    presentComment(row, comment, reactions.get(comment.commentId) ?? []),
  );
  return {
    annotationId: row.annotationId,
    subscribedGroups: {},
    customList: [],
    ...fields,
    annotationNumber: row.annotationNumber,
    annotationIndex: row.annotationNumber,
    type: row.type,
    createdAt: row.createdAt,
    lastUpdated: row.lastUpdated,
    hasDraftComments: comments.some((comment) => comment.isDraft),
    from: row.from,
    status: row.status,
    ...(row.resolvedBy !== null && { resolvedByUserId: row.resolvedBy }),
    visibilityConfig: { ...row.visibility },
    ...contextOf(row),
    metadata: { ...(fields.metadata as object), apiKey: tenantId, organizationId, documentId },
    ...usersBySubscription(row.subscriptions),
    comments,
  };
}

const contextOf = ({ access }: FullAnnotation) =>
  access && {
    context: {
      access,
      accessFields: Object.entries(access)
        .flatMap(([field, values]) => values.map((value) => `${field}:${value}`))
        .sort(),
    },
  };

function usersBySubscription(subscriptions: SubscriptionRow[]) {
  const subscribed: PresentedAnnotation['subscribedUsers'] = {};
  const unsubscribed: PresentedAnnotation['unsubscribedUsers'] = {};
  for (const { user, subscription } of subscriptions) {
    if (subscription === 'none') unsubscribed[user.userId] = { user, type: 'manual' };
    else subscribed[user.userId] = { user, type: subscription };
  }
  return { subscribedUsers: subscribed, unsubscribedUsers: unsubscribed };
}

function presentComment(
  annotation: FullAnnotation,
  { commentId, from, status, createdAt, lastUpdated, ...row }: CommentRow,
  reactions: ReactionRow[],
): PresentedComment {
  const byReaction = Map.groupBy(reactions, (reaction) => reaction.reactionId);
  return {
    commentId,
    ...presentContent(row.content),
    type: 'text',
    status,
    createdAt,
    lastUpdated: new Date(lastUpdated).toISOString(),
    reactionAnnotationIds: [...byReaction.keys()],
    reactionAnnotations: [...byReaction.values()].map((rows) => presentReaction(annotation, rows)),
    from,
  };
}

/** Returns the content of a comment as read operations present it: absent lists and texts are empty. */
export const presentContent = ({ isByUser: _, ...content }: CommentContent) => ({
  to: [],
  toOrganizationUserGroup: [],
  taggedUserContacts: [],
  attachments: [],
  recorders: [],
  customList: [],
  ...content,
  isDraft: content.isDraft ?? false,
  isCommentTextAvailable: (content.commentText ?? '') !== '',
  commentText: content.commentText ?? '',
  commentHtml: content.commentHtml ?? '',
});

function presentReaction(annotation: FullAnnotation, rows: ReactionRow[]): PresentedReaction {
  const { location, locationId } = annotation.fields;
  return {
    annotationId: rows[0]?.reactionId ?? '',
    type: 'reaction',
    icon: rows[0]?.icon ?? '',
    commentAnnotationId: annotation.annotationId,
    ...(locationId !== undefined && { locationId }),
    ...(location && { location }),
    ...contextOf(annotation),
    lastUpdated: Math.max(...rows.map((row) => row.lastUpdated)),
    fromUsers: rows.map(({ user, lastUpdated }) => ({ lastUpdated, from: user })),
  };
}
