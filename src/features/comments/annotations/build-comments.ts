import { lastOfEach } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import { timesOf } from '../../../api/imported-times.ts';
import type { CommentContent, CommentRow } from '../annotation-row.ts';
import type { NewComment } from '../input-schemas.ts';
import type { ResolvedUsers } from './resolve-users.ts';

/** The most comments in an annotation. There is a limit because reads and events contain all of them. */
export const MAX_COMMENTS = 1_000;

/**
 * Builds the rows of new comments. Comments without an id get the next ids. If several comments have
 * the same id, the last one counts.
 */
export function buildComments(
  ctx: KeyContext,
  comments: NewComment[],
  {
    users,
    now,
    nextId: firstId,
    path: listPath,
  }: { users: ResolvedUsers; now: number; nextId: number; path: string },
): { rows: CommentRow[]; nextId: number } {
  const highestId = Math.max(0, ...comments.map((comment) => comment.commentId ?? 0));
  let nextId = Math.max(firstId, highestId + 1);
  const rows = comments.map((comment, index): CommentRow => {
    const { commentId, from, createdAt, lastUpdated, triggerNotification, ...content } = comment;
    const path = `${listPath}[${index}]`;
    const agent = users.agent(content.agent);
    return {
      commentId: commentId ?? nextId++,
      from: users.author(from, `${path}.from`),
      status: 'added',
      content: { ...completeContent(content, users), agent },
      ...timesOf(ctx, { createdAt, lastUpdated }, { now, path }),
    };
  });
  return { rows: lastOfEach(rows, (row) => String(row.commentId)), nextId };
}

/** Returns the newest comment. If several have the same time, it is the last of them. */
export const newestOf = (rows: CommentRow[]): CommentRow | undefined =>
  rows.toSorted((a, b) => a.createdAt - b.createdAt).at(-1);

/** Completes the users whom a comment names, and marks a comment that was sent with a user token. */
export const completeContent = (content: CommentContent, users: ResolvedUsers): CommentContent => ({
  ...content,
  ...(content.taggedUserContacts && {
    taggedUserContacts: content.taggedUserContacts.map(users.complete),
  }),
  ...(content.to && { to: content.to.map(users.addressee) }),
  ...(users.tokenUser && { isByUser: true }),
});

/** Returns all users that the comments mention, each once. */
export const mentionedUsersIn = (comments: CommentRow[]) => {
  const users = comments.flatMap((comment) => comment.content.taggedUserContacts ?? []);
  return lastOfEach(users, (user) => user.userId);
};
