import type { KeyContext } from '../../../api/context.ts';
import { commitTogether } from '../../../platform/database/operation-database.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { replacePassages } from '../../crdt/passages.ts';
import { requireOrganization } from '../../directory/organizations/organizations.ts';
import type { FullAnnotation } from '../annotation-row.ts';
import { changeAnnotation } from '../annotations/change-annotation.ts';
import { toAnnotationQuery } from '../annotations/filters.ts';
import { lockAnnotations } from '../annotations/lock-annotations.ts';
import { namingScopeOf, resolveUsers } from '../annotations/resolve-users.ts';
import { saveChanges } from '../annotations/save-changes.ts';
import { type ApplicableSuggestion, applicableSuggestion } from '../applicable-suggestion.ts';
import { requireViewer } from '../visibility/viewer.ts';
import { failedPrecondition, type Outcomes } from './outcomes.ts';
import type { DecideSuggestionsInput } from './schema.ts';

type Decision = 'accepted' | 'rejected';

interface PendingSuggestion {
  annotation: FullAnnotation;
  suggestion: ApplicableSuggestion;
}

/**
 * Accepts or rejects suggestions. Accepted ones are applied to the text, each as a whole or not at all;
 * text, annotations and events are committed together. The annotations stay locked until then, so
 * that only one of several callers applies a suggestion. Repeating a decision succeeds and changes
 * nothing.
 *
 * @throws PERMISSION_DENIED for users who are not editors of the document; NOT_FOUND when there is
 * no content to apply a suggestion to
 */
export async function decideSuggestions(
  ctx: KeyContext,
  { organizationId, documentId, editorId, annotationIds }: DecideSuggestionsInput,
  decision: Decision,
): Promise<Outcomes> {
  const query = toAnnotationQuery({ organizationId, documentId, annotationIds });
  const viewer = await requireViewer(ctx, query, 'editor');
  const name = { tenantId: ctx.tenantId, organizationId, documentId, editorId };
  return commitTogether(ctx.db, async (db) => {
    const commitCtx = { ...ctx, db };
    const [, found] = await db.transaction((tx) =>
      pipeline([
        requireOrganization(tx, ctx.tenantId, organizationId),
        lockAnnotations(commitCtx, tx, query, viewer),
      ]),
    );
    const { outcomes, pending } = findPending(found, { annotationIds, editorId }, decision);
    const passages = pending.map(({ suggestion }) => suggestion.pieces);
    const isApplying = decision === 'accepted' && pending.length > 0;
    const problems = isApplying ? await replacePassages(commitCtx, name, passages) : [];
    const decided = pending.filter((_, index) => problems[index] === undefined);
    await saveDecision(commitCtx, decided, decision);
    for (const [index, { annotation }] of pending.entries()) {
      const { annotationId } = annotation;
      const problem = problems[index];
      outcomes[annotationId] = problem
        ? failedPrecondition(annotationId, problem)
        : decidedOutcome(annotationId, decision);
    }
    return outcomes;
  });
}

/** Returns the suggestions that are waiting for a decision, and the outcomes of the others. */
function findPending(
  found: FullAnnotation[],
  { annotationIds, editorId }: Pick<DecideSuggestionsInput, 'annotationIds' | 'editorId'>,
  decision: Decision,
): { outcomes: Outcomes; pending: PendingSuggestion[] } {
  const message = 'Annotation does not exist.';
  const outcomes: Outcomes = {};
  for (const annotationId of annotationIds) {
    outcomes[annotationId] = { success: false, annotationId, message };
  }
  const pending = found.flatMap((annotation) => {
    const { annotationId } = annotation;
    const suggestion = applicableSuggestion(annotation.fields.suggestion);
    if (suggestion?.editorId !== editorId) {
      outcomes[annotationId] = failedPrecondition(annotationId);
    } else if (suggestion.status === decision) {
      outcomes[annotationId] = decidedOutcome(annotationId, decision);
    } else if (suggestion.status !== 'pending') {
      const message = `The suggestion has already been ${suggestion.status}.`;
      outcomes[annotationId] = failedPrecondition(annotationId, { message });
    } else {
      return [{ annotation, suggestion }];
    }
    return [];
  });
  return { outcomes, pending };
}

const decidedOutcome = (annotationId: string, decision: Decision) => ({
  success: true,
  annotationId,
  message: `Suggestion ${decision}.`,
});

/** Stores the decision, and resolves the threads. */
async function saveDecision(
  ctx: KeyContext,
  decided: PendingSuggestion[],
  decision: Decision,
): Promise<void> {
  const [first] = decided;
  if (!first) return;
  await ctx.db.transaction(async (tx) => {
    const users = await resolveUsers(ctx, tx, namingScopeOf(first.annotation), []);
    const call = { users, now: ctx.clock.now(), actorId: ctx.userId };
    const update = { suggestion: { status: decision }, status: { id: 'RESOLVED' } };
    const changes = decided.map(({ annotation }) => changeAnnotation(annotation, update, call));
    await saveChanges(ctx, tx, changes, { actionUser: users.tokenUser });
  });
}
