import type { FullAnnotation } from '../annotation-row.ts';
import type { AnnotationOutcome } from './schema.ts';

interface Some {
  rows: FullAnnotation[];
  message: string;
}

/** An outcome for each annotation that was found, or asked for by its id and not found. */
export function outcomesOf(
  asked: string[] | null,
  { done, refused }: { done: Some; refused: Some },
): Record<string, AnnotationOutcome> {
  const outcomes = new Map<string, AnnotationOutcome>();
  for (const annotationId of asked ?? []) {
    const message = 'Annotation does not exist.';
    outcomes.set(annotationId, { success: false, annotationId, commentIds: [], message });
  }
  for (const [success, { rows, message }] of [[true, done] as const, [false, refused] as const]) {
    for (const { annotationId, comments } of rows) {
      const commentIds = comments.map((comment) => comment.commentId);
      outcomes.set(annotationId, { success, annotationId, commentIds, message });
    }
  }
  return Object.fromEntries(outcomes);
}
