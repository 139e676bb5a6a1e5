import type { FullAnnotation } from '../annotation-row.ts';
import type { AnnotationOutcome } from './schema.ts';

/** An annotation that was found, and the reason why it was refused, if it was. */
interface Handled {
  row: FullAnnotation;
  refusal: string | undefined;
}

/** Returns an outcome for each annotation that was found, and for each named one that was not. */
export function outcomesOf(
  named: string[] | null,
  handled: Handled[],
  doneMessage: string,
): Record<string, AnnotationOutcome> {
  const outcomes = new Map<string, AnnotationOutcome>();
  for (const annotationId of named ?? []) {
    const message = 'Annotation does not exist.';
    outcomes.set(annotationId, { success: false, annotationId, commentIds: [], message });
  }
  for (const { row, refusal } of handled) {
    const { annotationId, comments } = row;
    const commentIds = comments.map((comment) => comment.commentId);
    const success = refusal === undefined;
    outcomes.set(annotationId, {
      success,
      annotationId,
      commentIds,
      message: refusal ?? doneMessage,
    });
  }
  return Object.fromEntries(outcomes);
}
