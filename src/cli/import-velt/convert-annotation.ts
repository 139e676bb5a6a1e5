import type { NewComment, NewCommentAnnotation } from '../../api/contract.ts';
import {
  dropEmpty,
  listOf,
  peopleOf,
  personOf,
  rowOf,
  rowsOf,
  textOf,
  timeOf,
  timesOf,
  type User,
  without,
} from './hosted-rows.ts';
import type { Row } from './hosted-service.ts';
import type { Writer } from './writer.ts';

/** Fields of an annotation that are converted, or that this server writes itself. */
const CONVERTED_FIELDS = [
  'annotationNumber',
  'annotationIndex',
  'hasDraftComments',
  'agent',
  'comments',
  'from',
  'createdAt',
  'lastUpdated',
  'metadata',
  'subscribedUsers',
  'unsubscribedUsers',
  'visibilityConfig',
];
/** Fields of `metadata` that name the key and the document. This server writes them itself. */
const IDENTITY_FIELDS = new Set(['apiKey', 'organizationId', 'documentId']);

/**
 * Converts a thread. Fields without a counterpart are kept in `metadata.imported`, and counted in the report.
 *
 * @returns undefined when no author is known
 */
export function convertAnnotation(row: Row, writer: Writer): NewCommentAnnotation | undefined {
  const author = personOf(row.from);
  const comments = rowsOf(row.comments).map((comment) => convertComment(comment, author));
  const commentData = comments.filter((comment) => comment !== undefined);
  // The hosted service keeps annotations without comments. This server requires a comment, so an empty one is added.
  if (commentData.length === 0 && author) commentData.push({ from: author, ...timesOf(row) });
  if (commentData.length === 0) return undefined;
  const same = sameFields(row);
  const imported = without(row, new Set([...CONVERTED_FIELDS, ...Object.keys(same)]));
  for (const name of Object.keys(imported))
    writer.addLeftOut(`annotation.${name} (kept in metadata)`);
  const metadata = without(rowOf(row.metadata) ?? {}, IDENTITY_FIELDS);
  return dropEmpty<NewCommentAnnotation>({
    ...timesOf(row),
    ...same,
    visibility: visibilityOf(rowOf(row.visibilityConfig)),
    metadata: Object.keys(imported).length > 0 ? { ...metadata, imported } : metadata,
    commentData,
    reactions: rowsOf(row.comments).flatMap(reactionsOf),
  });
}

/** Returns the fields that have the same name on both servers. */
const sameFields = (row: Row): Row => ({
  annotationId: row.annotationId,
  type: row.type === 'suggestion' ? 'suggestion' : 'comment',
  context: contextOf(row),
  location: rowOf(row.location),
  locationId: row.locationId,
  pageInfo: rowOf(row.pageInfo),
  assignedTo: personOf(row.assignedTo),
  priority: rowOf(row.priority),
  suggestion: rowOf(row.suggestion),
  subscribedGroups: rowOf(row.subscribedGroups),
  customList: listOf(row.customList),
  status: rowOf(row.status),
  resolvedByUserId: row.resolvedByUserId,
});

function contextOf(row: Row): Row | undefined {
  const access = rowOf(rowOf(row.context)?.access);
  return access && Object.keys(access).length > 0 ? { access } : undefined;
}

const visibilityOf = (config: Row | undefined): Row | undefined =>
  config?.type === undefined || config.type === 'public' ? undefined : dropEmpty(config);

function convertComment(row: Row, author: User | undefined): NewComment | undefined {
  const from = personOf(row.from) ?? author;
  if (!from) return undefined;
  return dropEmpty<NewComment>({
    commentId: row.commentId,
    from,
    ...timesOf(row),
    triggerNotification: false,
    commentText: textOf(row.commentText),
    commentHtml: textOf(row.commentHtml),
    isDraft: row.isDraft === true || undefined,
    to: peopleOf(row.to),
    taggedUserContacts: peopleOf(row.taggedUserContacts),
    toOrganizationUserGroup: listOf(row.toOrganizationUserGroup),
    attachments: listOf(row.attachments),
    recorders: listOf(row.recorders),
    customList: listOf(row.customList),
    agent: rowOf(row.agent),
  });
}

const reactionsOf = ({ commentId, reactionAnnotations }: Row): Row[] =>
  rowsOf(reactionAnnotations).flatMap(({ icon, fromUsers }) =>
    rowsOf(fromUsers).flatMap((user) => {
      const from = personOf(user.from);
      const lastUpdated = timeOf(user.lastUpdated);
      return from ? [dropEmpty<Row>({ commentId, icon, from, lastUpdated })] : [];
    }),
  );

export type Subscriptions = ReturnType<typeof subscriptionsOf>;

/**
 * Returns the ids of users who have subscribed or unsubscribed themselves. Authors and mentioned users
 * are left out, since this server subscribes them by itself.
 */
export const subscriptionsOf = (row: Row) => ({
  subscribe: userIdsIn(row.subscribedUsers, 'manual'),
  unsubscribe: userIdsIn(row.unsubscribedUsers),
});

const userIdsIn = (map: unknown, type?: string): string[] =>
  rowsOf(Object.values(rowOf(map) ?? {})).flatMap((entry) => {
    if (type !== undefined && entry.type !== type) return [];
    return textOf(rowOf(entry.user)?.userId) ?? [];
  });
