import type { Comment, CommentAnnotation } from '../../api/contract.ts';

/** A comment annotation, with its comments. */
export type Thread = CommentAnnotation & {
  /** True while the server has not confirmed the user's own write to this thread. */
  isPending?: boolean;
};

export type ThreadComment = Comment & {
  /** True while the server has not confirmed the user's own write to this comment. */
  isPending?: boolean;
};

/** Selects the threads of the document to show; all of them by default. */
export interface ThreadFilters {
  /** `OPEN`, `IN_PROGRESS`, `RESOLVED`, or the app's own. */
  statusIds?: string[] | undefined;
  locationIds?: Array<string | number> | undefined;
  annotationIds?: string[] | undefined;
  /** The authors of the threads. */
  userIds?: string[] | undefined;
  mentionedUserIds?: string[] | undefined;
  /** The order, by the time of the last change; `desc` by default. */
  order?: 'asc' | 'desc' | undefined;
}

/** Whether a list with these filters includes the thread, by the same rules as on the server. */
export function matches(thread: Thread, filters: ThreadFilters): boolean {
  const mentions = thread.comments.flatMap(({ taggedUserContacts }) => taggedUserContacts);
  const mentionedIds = mentions.map(({ userId }) => userId);
  return (
    includes(filters.statusIds, [thread.status.id]) &&
    includes(filters.annotationIds, [thread.annotationId]) &&
    includes(filters.locationIds, [thread.locationId]) &&
    includes(filters.userIds, [thread.from.userId]) &&
    includes(filters.mentionedUserIds, mentionedIds)
  );
}

type Id = string | number | undefined;

/** Whether a filter's list has one of the ids. An empty list lets all pass, and location ids are compared as text. */
const includes = (list: Id[] = [], ids: Id[]): boolean =>
  list.length === 0 || ids.some((id) => list.map(String).includes(String(id)));
