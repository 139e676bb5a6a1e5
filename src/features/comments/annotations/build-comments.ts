import { lastOfEach } from '../../../api/batches.ts';
import type { CommentContent, CommentRow } from '../comment-row.ts';
import type { NewComment } from '../fields.ts';
import type { ResolvedUsers } from './ensure-users.ts';

/** Reads and events hold all comments of an annotation, so their number is bounded. */
export const MAX_COMMENTS = 1_000;

/**
 * The rows of new comments. Comments without an id get the next ones; of two comments with the same
 * id the last one counts.
 */
export function buildComments(
  given: NewComment[],
  facts: { users: ResolvedUsers; now: number; nextId: number; path: string },
): { rows: CommentRow[]; nextId: number } {
  const highest = Math.max(0, ...given.map((comment) => comment.commentId ?? 0));
  let nextId = Math.max(facts.nextId, highest + 1);
  const rows = given.map((comment, index): CommentRow => {
    const { commentId, from, triggerNotification, agent: givenAgent, ...content } = comment;
    const agent = facts.users.agent(givenAgent);
    return {
      commentId: commentId ?? nextId++,
      from: facts.users.author(from, `${facts.path}[${index}].from`),
      status: 'added',
      content: { ...completeContent(content, facts.users), ...(agent && { agent }) },
      createdAt: facts.now,
      lastUpdated: facts.now,
    };
  });
  return { rows: lastOfEach(rows, (row) => String(row.commentId)), nextId };
}

export const completeContent = (content: CommentContent, users: ResolvedUsers): CommentContent => ({
  ...content,
  ...(content.taggedUserContacts && {
    taggedUserContacts: content.taggedUserContacts.map(users.complete),
  }),
  ...(content.to && { to: content.to.map(users.addressee) }),
  ...(users.actor && { isByUser: true }),
});

/** All users that the comments mention, each once. */
export const mentionedIn = (comments: CommentRow[]) => [
  ...new Map(
    comments
      .flatMap((comment) => comment.content.taggedUserContacts ?? [])
      .map((user) => [user.userId, user]),
  ).values(),
];
