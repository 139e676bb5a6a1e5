import { z } from 'zod';
import { id, text } from '../../api/fields.ts';
import { AppError } from '../../platform/errors.ts';
import { type AnyTool, tool } from '../tool.ts';
import { threadFields } from './threads.ts';

/** Agents' comments must be shorter than people's: long comments would hide the other ones. */
export const commentText = text(4_000).min(1, 'must not be empty');

const changedThread = z.object({ annotationId: z.string() });
const addedComment = changedThread.extend({ commentId: z.number() });

/** @throws NOT_FOUND with the reason, if the operation's outcome for the thread is a failure */
function requireSuccess(
  annotationId: string,
  outcomes: Record<string, { success: boolean; message: string }>,
) {
  const outcome = outcomes[annotationId];
  if (outcome?.success) return { annotationId };
  throw new AppError('NOT_FOUND', outcome?.message ?? 'The thread does not exist.');
}

const replyInThread = tool({
  name: 'reply',
  title: 'Reply in a thread',
  description: 'Adds a comment to a thread, in the name of the person and of this agent.',
  input: z.object({ ...threadFields, text: commentText }),
  output: addedComment,
  writes: true,
  presence: 'writing',
  async run({ operations }, { text: comment, ...thread }) {
    const [commentId = 0] = await operations.comments.add({
      ...thread,
      commentData: [{ commentText: comment }],
    });
    return { annotationId: thread.annotationId, commentId };
  },
});

const reactToComment = tool({
  name: 'react',
  title: 'React to a comment',
  description: "Adds the person's reaction to a comment, such as an emoji.",
  input: z.object({
    ...threadFields,
    commentId: z.number().int().positive(),
    icon: text(128).min(1, 'must not be empty'),
  }),
  output: changedThread,
  writes: true,
  run: async ({ operations }, input) =>
    requireSuccess(input.annotationId, await operations.reactions.add(input)),
});

const resolveThread = tool({
  name: 'resolve_thread',
  title: 'Resolve a thread',
  description: 'Resolves a thread, or opens it again.',
  input: z.object({ ...threadFields, reopen: z.boolean().default(false) }),
  output: changedThread,
  writes: true,
  async run({ operations }, { annotationId, reopen, ...document }) {
    const outcomes = await operations.commentAnnotations.update({
      ...document,
      annotationIds: [annotationId],
      updatedData: { status: { id: reopen ? 'OPEN' : 'RESOLVED' } },
    });
    return requireSuccess(annotationId, outcomes);
  },
});

const assignThread = tool({
  name: 'assign_thread',
  title: 'Assign a thread',
  description: 'Assigns a thread to somebody, who is notified; null removes the assignment.',
  input: z.object({ ...threadFields, userId: id.nullable() }),
  output: changedThread,
  writes: true,
  async run({ operations }, { annotationId, userId, ...document }) {
    const outcomes = await operations.commentAnnotations.update({
      ...document,
      annotationIds: [annotationId],
      updatedData: { assignedTo: userId === null ? null : { userId } },
    });
    return requireSuccess(annotationId, outcomes);
  },
});

const notifyPerson = tool({
  name: 'notify_person',
  title: 'Notify a person',
  description:
    'Mentions another user in a new comment in a thread. This user is notified according to their own settings, and only if they may see the thread.',
  input: z.object({ ...threadFields, userId: id, text: commentText }),
  output: addedComment,
  writes: true,
  presence: 'writing',
  async run({ operations }, { text: comment, userId, ...thread }) {
    const [commentId = 0] = await operations.comments.add({
      ...thread,
      commentData: [{ commentText: comment, taggedUserContacts: [{ userId }] }],
    });
    return { annotationId: thread.annotationId, commentId };
  },
});

export const threadWriteTools: AnyTool[] = [
  replyInThread,
  reactToComment,
  resolveThread,
  assignThread,
  notifyPerson,
];
