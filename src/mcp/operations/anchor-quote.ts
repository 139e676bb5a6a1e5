import { z } from 'zod';
import { id } from '../../api/fields.ts';
import { requireAccess } from '../../features/access/require-access.ts';
import { findPassages } from '../../features/crdt/passages.ts';
import { passage } from '../../features/crdt/schema.ts';
import { AppError } from '../../platform/errors.ts';
import { agentOperation } from './agent-operation.ts';

export const QuotedPassage = z.object({
  organizationId: id,
  documentId: id,
  editorId: id,
  quote: passage.quote,
  occurrence: z.int().positive().optional().meta({
    description:
      'The number of the match, counted from 1. If you omit it, there must be exactly one match.',
  }),
});

/**
 * Anchors a quoted passage, so that a thread stays at the passage while the text changes.
 *
 * @throws NOT_FOUND when the quote is not in the text, and FAILED_PRECONDITION when it occurs several
 * times, with the present text in `details`
 */
export const anchorQuote = agentOperation
  .input(QuotedPassage)
  .output(z.object({ pieces: z.array(z.looseObject({})) }))
  .query(async ({ ctx, input }) => {
    const { quote, occurrence, ...editor } = input;
    const { organizationId, documentId } = editor;
    await requireAccess(ctx, { organizationId, documentId, role: 'viewer' });
    const name = { ...editor, tenantId: ctx.tenantId };
    const [found] = await findPassages(ctx, name, [{ quote, occurrence, replacement: quote }]);
    if (!found) throw new Error('A passage has no result.');
    if ('problem' in found) {
      const { status, message, details } = found.problem;
      throw new AppError(status, message, { details });
    }
    // `findPassages` requires a replacement, which is not used here.
    const pieces = found.parts.map(({ replacement: _, ...piece }) => piece);
    // Positions are Yjs objects, but the location of a thread is plain JSON.
    return { pieces: JSON.parse(JSON.stringify(pieces)) };
  });
