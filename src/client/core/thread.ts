import type { Comment, CommentAnnotation } from '../../api/contract.ts';

/** A comment annotation, with its comments. */
export type Thread = CommentAnnotation & {
  /** The user wrote it a moment ago, and the server has not answered yet. */
  isPending?: boolean;
};

export type ThreadComment = Comment & {
  /** The user wrote it a moment ago, and the server has not answered yet. */
  isPending?: boolean;
};

/** The threads of the document to show; all of them by default. */
export interface ThreadFilters {
  /** `OPEN`, `IN_PROGRESS`, `RESOLVED`, or the app's own. */
  statusIds?: string[] | undefined;
  locationIds?: Array<string | number> | undefined;
  annotationIds?: string[] | undefined;
  /** Authors. */
  userIds?: string[] | undefined;
  mentionedUserIds?: string[] | undefined;
  /** The order, by the time of the last change; `desc` by default. */
  order?: 'asc' | 'desc' | undefined;
}

/** Whether `matches` evaluates all of the filters, so that a change needs no read of the list. */
export const isExact = ({ userIds, mentionedUserIds }: ThreadFilters): boolean =>
  !userIds?.length && !mentionedUserIds?.length;

export function matches(thread: Thread, filters: ThreadFilters): boolean {
  const { statusIds, locationIds, annotationIds } = filters;
  return (
    includes(statusIds, thread.status.id) &&
    includes(annotationIds, thread.annotationId) &&
    includes(locationIds, thread.locationId)
  );
}

/** As on the server, an empty list filters nothing, and location ids are compared as text. */
const includes = (list: Array<string | number> = [], id?: string | number): boolean =>
  list.length === 0 || list.map(String).includes(String(id));
