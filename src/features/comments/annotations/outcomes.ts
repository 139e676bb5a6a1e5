import type { FullAnnotation } from '../annotation-row.ts';
import type { AnnotationOutcome } from './schema.ts';

/** An annotation that was found, and the reason why the caller may not change it, if there is one. */
interface JudgedAnnotation {
  row: FullAnnotation;
  refusal: string | undefined;
}

/** Returns an outcome for each annotation that was found, and for each named one that was not. */
export function outcomesOf(
  namedIds: string[] | null,
  judged: JudgedAnnotation[],
  doneMessage: string,
): Record<string, AnnotationOutcome> {
  const outcomes = new Map<string, AnnotationOutcome>();
  for (const annotationId of namedIds ?? []) {
    const message = 'Annotation does not exist.';
    outcomes.set(annotationId, { success: false, annotationId, commentIds: [], message });
  }
  for (const { row, refusal } of judged) {
    const { annotationId, comments } = row;
    outcomes.set(annotationId, {
      success: refusal === undefined,
      annotationId,
      commentIds: comments.map((comment) => comment.commentId),
      message: refusal ?? doneMessage,
    });
  }
  return Object.fromEntries(outcomes);
}
