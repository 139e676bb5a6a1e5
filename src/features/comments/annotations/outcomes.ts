import type { FullAnnotation } from '../annotation-row.ts';
import type { AnnotationOutcome } from './schema.ts';

interface Group {
  rows: FullAnnotation[];
  message: string;
}

/** An outcome for each annotation that was found, and for each named one that was not. */
export function outcomesOf(
  named: string[] | null,
  { done, refused }: { done: Group; refused: Group },
): Record<string, AnnotationOutcome> {
  const outcomes = new Map<string, AnnotationOutcome>();
  for (const annotationId of named ?? []) {
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
