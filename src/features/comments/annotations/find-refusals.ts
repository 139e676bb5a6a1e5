import type { KeyContext } from '../../../api/context.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import { type Queryable, sql } from '../../../platform/database/database.ts';
import { allows } from '../../access/access.ts';
import { loadAccess } from '../../access/load-access.ts';
import type { AnnotationInput } from '../input-schemas.ts';
import { namedAnnotations } from '../load-annotations.ts';
import { jsonLengthOf, MAX_JSON_LENGTH, TOO_LARGE_MESSAGE } from './annotation-size.ts';
import type { AddAnnotationsInput } from './schema.ts';

type Item = AnnotationInput & { annotationId: string };

/**
 * Returns the reasons why annotations cannot be added, by their ids.
 *
 * @param items the annotations of the input, all with ids
 */
export async function findRefusals(
  ctx: KeyContext,
  db: Queryable,
  input: AddAnnotationsInput,
  items: Item[],
): Promise<Map<string, string>> {
  const taken = await loadTakenIds(ctx, db, input.commentAnnotations);
  const withoutAccess = await loadAuthorsWithoutAccess(ctx, db, input, items);
  const refused = new Map<string, string>();
  for (const { annotationId, commentData } of items) {
    if (taken.has(annotationId)) {
      refused.set(annotationId, 'Annotation already exists.');
    } else if (commentData.some(({ from }) => from && withoutAccess.has(from.userId))) {
      refused.set(annotationId, 'The author may not comment on this document.');
    } else if ((await jsonLengthOf(commentData)) > MAX_JSON_LENGTH) {
      refused.set(annotationId, TOO_LARGE_MESSAGE);
    }
  }
  return refused;
}

/** Returns those of the caller's ids that already exist. Ids that the server generated are always new. */
async function loadTakenIds(
  ctx: KeyContext,
  db: Queryable,
  annotations: AnnotationInput[],
): Promise<Set<string>> {
  const ids = annotations.flatMap(({ annotationId }) => annotationId ?? []);
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ annotationId: string }>(sql`
    SELECT annotation_id AS "annotationId" FROM ${namedAnnotations(ctx.tenantId, ids)}`);
  return new Set(rows.map((row) => row.annotationId));
}

/** Returns the authors who may not comment. With a user token, the author's access has already been checked. */
async function loadAuthorsWithoutAccess(
  { tenantId, userId: callerId, clock }: KeyContext,
  db: Queryable,
  { organizationId, documentId, verifyUserPermissions }: AddAnnotationsInput,
  items: Item[],
): Promise<Set<string>> {
  if (!verifyUserPermissions || callerId !== undefined) return new Set();
  const authors = items.flatMap((item) => item.commentData.flatMap(({ from }) => from ?? []));
  const userIds = [...new Set(authors.map((author) => author.userId))];
  const query = { tenantId, organizationId, userIds, folderIds: [], documentIds: [documentId] };
  const facts = await loadAccess(db, query);
  const now = unixSeconds(clock);
  return new Set(
    userIds.filter(
      (userId) => !allows(facts.accessToDocument(userId, documentId, now), 'commenter'),
    ),
  );
}
