import { lastOfEach } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { requireAccess } from '../../access/require-access.ts';
import { findPassages } from '../../crdt/passages.ts';
import { addAnnotations } from '../annotations/add-annotations.ts';
import { failedPrecondition, type Outcomes } from './outcomes.ts';
import type { AddSuggestionsInput } from './schema.ts';

type Item = AddSuggestionsInput['suggestions'][number] & { annotationId: string };

/**
 * Adds a comment annotation for each suggestion, with the positions of the quote and the replacement. A
 * suggestion whose quote is not in the text, or is there several times, is refused; the others are added.
 */
export async function addSuggestions(
  ctx: KeyContext,
  { suggestions, ...input }: AddSuggestionsInput,
): Promise<Outcomes> {
  const { organizationId, documentId, editorId } = input;
  await requireAccess(ctx, { organizationId, documentId, role: 'commenter' });
  requireAuthors(ctx, suggestions);
  const named = suggestions.map((item) => ({
    ...item,
    annotationId: item.annotationId ?? newId(),
  }));
  const items = lastOfEach(named, (item) => item.annotationId);
  const name = { tenantId: ctx.tenantId, organizationId, documentId, editorId };
  const found = await findPassages(ctx, name, items);
  const outcomes: Outcomes = {};
  const accepted = items.flatMap((item, index) => {
    const passage = found[index];
    if (passage && 'parts' in passage) return [annotationOf(item, editorId, passage.parts)];
    outcomes[item.annotationId] = failedPrecondition(item.annotationId, passage?.problem);
    return [];
  });
  if (accepted.length === 0) return outcomes;
  const added = await addAnnotations(ctx, {
    organizationId,
    documentId,
    commentAnnotations: accepted,
    createOrganization: false,
    createDocument: false,
    verifyUserPermissions: false,
  });
  for (const { success, annotationId, message } of Object.values(added)) {
    outcomes[annotationId] = {
      success,
      annotationId,
      message: success ? 'Suggestion added.' : message,
    };
  }
  return outcomes;
}

const annotationOf = (
  { annotationId, quote, replacement, from, comment }: Item,
  editorId: string,
  pieces: object[],
) => ({
  annotationId,
  type: 'suggestion' as const,
  // Frontends read the threads of one text by this id.
  location: { id: editorId },
  suggestion: { editorId, status: 'pending', quote, replacement, pieces },
  commentData: [{ from, commentText: comment }],
});

/** @throws INVALID_ARGUMENT if a caller with an API key names no author */
function requireAuthors(ctx: KeyContext, suggestions: AddSuggestionsInput['suggestions']): void {
  if (ctx.userId !== undefined) return;
  const message = 'must name the author';
  const issues = suggestions.flatMap(({ from }, index) =>
    from ? [] : [{ path: `suggestions[${index}].from`, message }],
  );
  const [first] = issues;
  if (first) throw invalidArgument(`${first.path}: ${message}.`, { details: { issues } });
}
