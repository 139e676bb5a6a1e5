import { type Queryable, sql } from '../../platform/database/database.ts';
import { eventsAt } from '../../platform/events/event-log.ts';
import type { CommentContent } from '../comments/comment-row.ts';
import type { PresentedComment } from '../comments/presented.ts';
import {
  type AnnotationEvent,
  commentsOf,
  isAnnotationEvent,
} from '../notifications/generate/annotation-event.ts';

/**
 * Events of one tenant with their comments as they read now: what was taken back or put right since
 * is not sent. One whose comments are all gone is left out. Two statements.
 */
export async function currentEvents(
  db: Queryable,
  tenantId: string,
  sequences: string[],
): Promise<AnnotationEvent[]> {
  const events = (await eventsAt(db, tenantId, sequences)).filter(isAnnotationEvent);
  const contents = await loadContents(db, tenantId, events);
  return events.flatMap((event) => {
    const comments = relevantComments(event).flatMap((comment) => {
      const content = contents.get(keyOf(event.data.annotationId, comment.commentId));
      return content ? [withContent(comment, content)] : [];
    });
    const current = { ...event, data: { ...event.data, comments } };
    const isGone = commentsOf(event.data).length > 0 && commentsOf(current.data).length === 0;
    return isGone ? [] : [current];
  });
}

/** Those that the event is about; else the one that the thread began with. */
function relevantComments({ data }: AnnotationEvent): PresentedComment[] {
  const about = commentsOf(data);
  return about.length > 0 ? about : data.comments.filter(({ isDraft }) => !isDraft).slice(0, 1);
}

async function loadContents(
  db: Queryable,
  tenantId: string,
  events: AnnotationEvent[],
): Promise<Map<string, CommentContent>> {
  const named = events.flatMap((event) =>
    relevantComments(event).map(({ commentId }) => [event.data.annotationId, commentId] as const),
  );
  const rows = await db.query<{
    annotationId: string;
    commentId: number;
    content: CommentContent;
  }>(sql`
    SELECT DISTINCT ON (c.annotation_id, c.comment_id) c.annotation_id AS "annotationId",
           c.comment_id::float8 AS "commentId", c.content
    FROM unnest(${named.map(([annotationId]) => annotationId)}::text[],
                ${named.map(([, commentId]) => commentId)}::bigint[])
      AS named(annotation_id, comment_id)
    JOIN comments c ON c.tenant_id = ${tenantId} AND c.annotation_id = named.annotation_id
      AND c.comment_id = named.comment_id`);
  return new Map(rows.map((row) => [keyOf(row.annotationId, row.commentId), row.content]));
}

const keyOf = (annotationId: string, commentId: number): string => `${commentId}:${annotationId}`;

const withContent = (comment: PresentedComment, content: CommentContent): PresentedComment => ({
  ...comment,
  taggedUserContacts: [],
  toOrganizationUserGroup: [],
  ...content,
  isDraft: content.isDraft ?? false,
  commentText: content.commentText ?? '',
  commentHtml: content.commentHtml ?? '',
});
