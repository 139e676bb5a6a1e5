import type { Comment, CommentAnnotation, NewComment } from '../../api/contract.ts';
import type { CommentBody, CommentData, NewCommentData, ThreadData } from './types.ts';

/** The entry of a comment's `customList` that keeps the comment's BlockNote blocks. */
interface BlockNoteEntry {
  type: 'blocknote';
  body: CommentBody;
  metadata?: unknown;
}

/** A BlockNote block, or a piece of the text in a block. */
interface Block {
  text?: string;
  content?: Block[] | string;
  children?: Block[];
}

/** Converts a thread for BlockNote's comment views. */
export const toThreadData = (thread: CommentAnnotation): ThreadData => {
  const { annotationId, createdAt, lastUpdated, comments, status, resolvedByUserId } = thread;
  const resolved = status.type === 'terminal';
  return {
    type: 'thread',
    id: annotationId,
    createdAt: new Date(createdAt),
    updatedAt: new Date(lastUpdated),
    comments: comments.map(toCommentData),
    resolved,
    ...(resolved && { resolvedUpdatedAt: new Date(lastUpdated) }),
    ...(resolvedByUserId !== undefined && { resolvedBy: resolvedByUserId }),
    metadata: thread.metadata,
  };
};

export function toCommentData(comment: Comment): CommentData {
  const entry = comment.customList.find(isEntry);
  return {
    type: 'comment',
    id: String(comment.commentId),
    userId: comment.from.userId,
    createdAt: new Date(comment.createdAt),
    updatedAt: new Date(comment.lastUpdated),
    reactions: comment.reactionAnnotations.map(({ icon, fromUsers }) => ({
      emoji: icon,
      createdAt: new Date(Math.min(...fromUsers.map(({ lastUpdated }) => lastUpdated))),
      userIds: fromUsers.map(({ from }) => from.userId),
    })),
    metadata: entry?.metadata ?? {},
    // If the text was changed without BlockNote, the stored blocks are out of date.
    body:
      entry && textOf(entry.body) === comment.commentText
        ? entry.body
        : blocksOf(comment.commentText),
  };
}

/** Converts a BlockNote comment for the server, with its plain text for inboxes, emails and other views. */
export function fromComment({
  body,
  metadata,
}: NewCommentData): Pick<NewComment, 'commentText' | 'customList'> {
  const entry: BlockNoteEntry = { type: 'blocknote', body, metadata };
  return { commentText: textOf(body), customList: [entry] };
}

const isEntry = (entry: unknown): entry is BlockNoteEntry =>
  (entry as BlockNoteEntry | null)?.type === 'blocknote' &&
  Array.isArray((entry as BlockNoteEntry).body);

const textOf = (blocks: unknown[]): string =>
  (blocks as Block[])
    .map(({ content = '', children = [] }) =>
      [inlineTextOf(content), textOf(children)].filter((text) => text !== '').join('\n'),
    )
    .join('\n')
    .trim();

const inlineTextOf = (content: Block[] | string): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((piece) => piece.text ?? inlineTextOf(piece.content ?? '')).join('')
      : '';

const blocksOf = (text: string): CommentBody =>
  text.split('\n').map((line) => ({
    type: 'paragraph',
    content: line === '' ? [] : [{ type: 'text', text: line, styles: {} }],
  }));
