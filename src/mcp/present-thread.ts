import { z } from 'zod';
import type {
  PresentedAnnotation,
  PresentedComment,
} from '../features/comments/response-schemas.ts';
import { quoteOf } from '../platform/anchors/anchor.ts';

// Threads as tools return them: short, with the ids that other tools take.

/** The most characters of a text in a summary. */
const EXCERPT_CHARS = 280;
/** The most characters of any other text. */
const MAX_TEXT_CHARS = 4_000;

const person = z.object({ userId: z.string(), name: z.string().optional() });

const suggested = z.object({
  quote: z.string(),
  replacement: z.string(),
  status: z.string().meta({ description: '`pending`, `accepted` or `rejected`.' }),
});
type Suggested = z.infer<typeof suggested>;

export const threadSummary = z.object({
  annotationId: z.string(),
  type: z.enum(['comment', 'suggestion']),
  status: z.string(),
  isResolved: z.boolean(),
  quote: z.string().optional().meta({ description: 'The text that the thread is about.' }),
  suggestion: suggested.optional(),
  assignedTo: person.optional(),
  commentCount: z.number(),
  firstComment: z.string().meta({ description: 'The first comment, shortened.' }),
  lastUpdated: z.string().meta({ description: 'ISO 8601' }),
});

export const threadComment = z.object({
  commentId: z.number(),
  by: person,
  agent: z
    .string()
    .optional()
    .meta({ description: 'The agent that wrote the comment for the person.' }),
  at: z.string().meta({ description: 'ISO 8601' }),
  text: z.string().meta({ description: `At most ${MAX_TEXT_CHARS} characters.` }),
  reactions: z.array(z.object({ icon: z.string(), userIds: z.array(z.string()) })),
});

export function summaryOf(annotation: PresentedAnnotation): z.infer<typeof threadSummary> {
  const { annotationId, type, status, assignedTo, comments, lastUpdated } = annotation;
  const quote = quoteOfThread(annotation);
  const suggestion = suggestionOf(annotation);
  return {
    annotationId,
    type,
    status: status.id,
    isResolved: status.type === 'terminal',
    ...(quote !== undefined && { quote: excerpt(quote) }),
    ...(suggestion && { suggestion }),
    ...(assignedTo && { assignedTo: personOf(assignedTo) }),
    commentCount: comments.length,
    firstComment: excerpt(comments[0]?.commentText ?? ''),
    lastUpdated: new Date(lastUpdated).toISOString(),
  };
}

export function commentOf(comment: PresentedComment): z.infer<typeof threadComment> {
  const { commentId, from, agent, createdAt, commentText, reactionAnnotations } = comment;
  return {
    commentId,
    by: personOf(from),
    text: truncate(commentText),
    ...(agent && { agent: agent.name ?? agent.agentId }),
    at: new Date(createdAt).toISOString(),
    reactions: reactionAnnotations.map(({ icon, fromUsers }) => ({
      icon,
      userIds: fromUsers.map((user) => user.from.userId),
    })),
  };
}

/** Whether the words occur, as one phrase, in a comment of a thread or in the text that the thread is about. */
export function hasWords(annotation: PresentedAnnotation, words: string): boolean {
  const texts = [
    quoteOfThread(annotation) ?? '',
    ...annotation.comments.map((comment) => comment.commentText),
  ];
  return texts.some((text) => text.toLowerCase().includes(words.toLowerCase()));
}

/** The fields of an anchor's piece that are needed for the quote. A piece may continue the line of the previous one. */
const anchorPiece = z.object({
  quote: z.string(),
  continuesLine: z.literal(true).optional().catch(undefined),
});
const anchoredLocation = z.object({
  anchor: z.object({ pieces: z.array(anchorPiece).min(1) }),
});

/** The quote of a thread's anchor (`client/anchors`); undefined for any other location, since callers may store anything. */
function quoteOfThread({ location }: PresentedAnnotation): string | undefined {
  const parsed = anchoredLocation.safeParse(location);
  return parsed.data && quoteOf(parsed.data.anchor);
}

/** Returns the suggestion, if it has the shape that `suggestions.add` stores. Callers may store any other shape. */
function suggestionOf({ suggestion }: PresentedAnnotation): Suggested | undefined {
  const found = suggested.safeParse(suggestion).data;
  if (!found) return undefined;
  const { quote, replacement, status } = found;
  return { quote: truncate(quote), replacement: truncate(replacement), status };
}

const personOf = ({ userId, name }: z.infer<typeof person>) => ({
  userId,
  ...(name !== undefined && { name }),
});

const excerpt = (text: string): string => truncate(text, EXCERPT_CHARS);

/** Shortens a text that is too long, but never cuts a character in half. */
export const truncate = (text: string, max = MAX_TEXT_CHARS): string =>
  text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text;
