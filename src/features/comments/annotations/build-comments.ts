import { lastOfEach } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import { timesOf } from '../../../api/past-times.ts';
import type { CommentContent, CommentRow } from '../annotation-row.ts';
import type { NewComment } from '../fields.ts';
import type { ResolvedUsers } from './ensure-users.ts';

/** Reads and events hold all comments of an annotation, so their number is bounded. */
export const MAX_COMMENTS = 1_000;

/**
 * Builds the rows of new comments. Comments without an id get the next ids; of two comments with
 * the same id the last one counts.
 */
export function buildComments(
  ctx: KeyContext,
  given: NewComment[],
  facts: { users: ResolvedUsers; now: number; nextId: number; path: string },
): { rows: CommentRow[]; nextId: number } {
  const highest = Math.max(0, ...given.map((comment) => comment.commentId ?? 0));
  let nextId = Math.max(facts.nextId, highest + 1);
  const rows = given.map((comment, index): CommentRow => {
    const { commentId, from, triggerNotification, agent: givenAgent, ...dated } = comment;
    const { createdAt, lastUpdated, ...content } = dated;
    const path = `${facts.path}[${index}]`;
    const agent = facts.users.agent(givenAgent);
    return {
      commentId: commentId ?? nextId++,
      from: facts.users.author(from, `${path}.from`),
      status: 'added',
      content: { ...completeContent(content, facts.users), ...(agent && { agent }) },
      ...timesOf(ctx, { createdAt, lastUpdated }, { now: facts.now, path }),
    };
  });
  return { rows: lastOfEach(rows, (row) => String(row.commentId)), nextId };
}

/** Returns the newest comment. If several have its time, it is the last of them. */
export const newestOf = (rows: CommentRow[]): CommentRow | undefined =>
  rows.toSorted((a, b) => a.createdAt - b.createdAt).at(-1);

/** Completes the users whom a comment names. */
export const completeContent = (content: CommentContent, users: ResolvedUsers): CommentContent => ({
  ...content,
  ...(content.taggedUserContacts && {
    taggedUserContacts: content.taggedUserContacts.map(users.complete),
  }),
  ...(content.to && { to: content.to.map(users.addressee) }),
  ...(users.actor && { isByUser: true }),
});

/** Returns all users that the comments mention, each once. */
export const mentionedIn = (comments: CommentRow[]) => {
  const users = comments.flatMap((comment) => comment.content.taggedUserContacts ?? []);
  return lastOfEach(users, (user) => user.userId);
};
