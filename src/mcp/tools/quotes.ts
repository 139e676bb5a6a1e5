import { z } from 'zod';
import { id } from '../../api/fields.ts';
import { passage } from '../../features/crdt/schema.ts';
import { AppError } from '../../platform/errors.ts';
import { QuotedPassage } from '../operations/anchor-quote.ts';
import { type AnyTool, tool } from '../tool.ts';
import { commentText } from './thread-writes.ts';

const added = z.object({ annotationId: z.string() });

/** Returns the annotation that an operation added. @throws AppError if the operation refused to add it */
function addedAnnotation(outcomes: Record<string, { success: boolean } & Refusal>) {
  const [outcome] = Object.entries(outcomes);
  if (!outcome) throw new Error('An operation returned no outcome.');
  const [annotationId, { success, status, message, details }] = outcome;
  if (success) return { annotationId };
  throw new AppError(status ?? 'FAILED_PRECONDITION', message, { ...(details && { details }) });
}

interface Refusal {
  message: string;
  status?: 'FAILED_PRECONDITION' | undefined;
  details?: Record<string, unknown> | undefined;
}

const openThread = tool({
  name: 'open_thread',
  title: 'Open a thread at quoted text',
  description:
    'Opens a thread at a passage of a document. The thread stays at the passage while the text is edited. Quote the exact text without Markdown syntax; separate several blocks by line breaks.',
  input: QuotedPassage.extend({ text: commentText }),
  output: added,
  writes: true,
  presence: 'writing',
  async run({ operations }, { text, ...quoted }) {
    const { organizationId, documentId, editorId } = quoted;
    const { pieces } = await operations.agents.anchorQuote(quoted);
    const outcomes = await operations.commentAnnotations.add({
      organizationId,
      documentId,
      commentAnnotations: [
        { location: { id: editorId, anchor: { pieces } }, commentData: [{ commentText: text }] },
      ],
    });
    return addedAnnotation(outcomes);
  },
});

const suggestEdit = tool({
  name: 'suggest_edit',
  title: 'Suggest an edit',
  description:
    'Suggests replacing a passage of a document. The text changes only when a person accepts the suggestion. Quote the exact text without Markdown syntax, and enough of it to be unique.',
  input: z.object({
    organizationId: id,
    documentId: id,
    editorId: id,
    ...passage,
    reason: commentText,
  }),
  output: added,
  writes: true,
  presence: 'writing',
  async run({ operations }, { quote, replacement, reason, ...editor }) {
    const suggestions = [{ quote, replacement, comment: reason }];
    return addedAnnotation(await operations.suggestions.add({ ...editor, suggestions }));
  },
});

export const quoteTools: AnyTool[] = [openThread, suggestEdit];
