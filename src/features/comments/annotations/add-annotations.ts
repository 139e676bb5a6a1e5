import { lastOfEach } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import { mapInChunks } from '../../../platform/chunks.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { requireDocumentAccess } from '../../access/require-access.ts';
import type { FullAnnotation } from '../annotation-row.ts';
import type { AnnotationInput } from '../fields.ts';
import { requirePrivateComments } from '../visibility/private-comments.ts';
import { annotationEvent, wantsNotification } from './annotation-event.ts';
import { autoSubscribe, savePeople } from './annotation-users.ts';
import { buildAnnotation } from './build-annotation.ts';
import { ensureDocument } from './ensure-document.ts';
import { ensureUsers, placeIn, usersIn } from './ensure-users.ts';
import { refuseItems } from './refuse-items.ts';
import { insertAnnotations, insertComments, takeNumbers } from './save-annotations.ts';
import type { AddAnnotationsInput, AnnotationOutcome } from './schema.ts';

type Item = AnnotationInput & { annotationId: string; index: number };

const ATTEMPTS = 3;

/**
 * Adds annotations with their first comments. An annotation is refused alone, without the others, if
 * its id is taken anywhere in the key or, with verifyUserPermissions, an author has no access.
 */
export async function addAnnotations(
  ctx: KeyContext,
  input: AddAnnotationsInput,
): Promise<Record<string, AnnotationOutcome>> {
  const given = input.commentAnnotations;
  requirePrivateComments(
    ctx,
    given.map((annotation) => annotation.visibility),
  );
  await requireDocumentAccess(ctx, { ...input, role: 'editor' });
  const named = given.map((item, index) => ({
    ...item,
    annotationId: item.annotationId ?? newId(),
    index,
  }));
  const items = lastOfEach(named, (item) => item.annotationId);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const outcomes = await attemptToAdd(ctx, input, items);
    if (outcomes) return outcomes;
  }
  throw new AppError('ABORTED', 'Others added annotations with the same ids. Try again.');
}

/** Another call took an id meanwhile. Rolling back returns the numbers, so they stay gapless. */
class IdTaken extends Error {}

async function attemptToAdd(ctx: KeyContext, input: AddAnnotationsInput, items: Item[]) {
  try {
    return await ctx.db.transaction((tx) => add(ctx, tx, input, items));
  } catch (error) {
    if (error instanceof IdTaken) return undefined;
    throw error;
  }
}

async function add(ctx: KeyContext, tx: Transaction, input: AddAnnotationsInput, items: Item[]) {
  const document = await ensureDocument(ctx, tx, input);
  const refused = await refuseItems(ctx, tx, input, items);
  const accepted = items.filter((item) => !refused.has(item.annotationId));
  const users = await ensureUsers(ctx, tx, placeIn(input), [
    ...usersIn(
      ctx,
      accepted.flatMap((item) => item.commentData),
    ),
    ...accepted.map((item) => item.assignedTo),
  ]);
  const now = ctx.clock.now();
  const { organizationId, documentId } = input;
  const place = { organizationId, documentId, folderId: document.folderId };
  const built = await mapInChunks(accepted, (item) =>
    buildAnnotation(item, { place, users, now, path: `commentAnnotations[${item.index}]` }),
  );
  await takeNumbers(tx, ctx.tenantId, built);
  await insert(ctx, tx, built);
  const notify = new Map(accepted.map((item) => [item.annotationId, item.commentData]));
  const events = built.values().map((row) =>
    annotationEvent(ctx, 'comment_annotation.add', row, {
      actionUser: row.from,
      commentIds: commentIdsOf(row),
      triggerNotification: (notify.get(row.annotationId) ?? []).some((comment) =>
        wantsNotification(ctx, comment.triggerNotification),
      ),
    }),
  );
  await ctx.events.append(tx, ctx.tenantId, events);
  return outcomesOf(items, built, refused);
}

async function insert(ctx: KeyContext, tx: Transaction, rows: FullAnnotation[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  if ((await insertAnnotations(tx, ctx.tenantId, first, rows)) < rows.length) throw new IdTaken();
  await insertComments(tx, ctx.tenantId, rows);
  const people = rows.map((row) => ({ annotation: row, changes: autoSubscribe(row.comments) }));
  await savePeople(tx, ctx.tenantId, people);
}

const commentIdsOf = (row: FullAnnotation) => row.comments.map((comment) => comment.commentId);

function outcomesOf(items: Item[], built: FullAnnotation[], refused: Map<string, string>) {
  const rows = new Map(built.map((row) => [row.annotationId, row]));
  return Object.fromEntries(
    items.map(({ annotationId }): [string, AnnotationOutcome] => {
      const row = rows.get(annotationId);
      const message = refused.get(annotationId) ?? 'Annotation added.';
      const commentIds = row ? commentIdsOf(row) : [];
      return [annotationId, { success: row !== undefined, annotationId, commentIds, message }];
    }),
  );
}
