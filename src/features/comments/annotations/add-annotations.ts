import { lastOfEach } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { LostRace } from '../../../platform/database/lost-races.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { type DocumentRef, placeNotFound } from '../../access/places.ts';
import { requireAccess } from '../../access/require-access.ts';
import {
  linkAttachments,
  type NamedAttachments,
  readNamedAttachments,
} from '../../attachments/named-attachments.ts';
import { addMissingDocument } from '../../directory/documents/add-documents.ts';
import { lockDocument } from '../../directory/documents/lock-document.ts';
import { ensureOrganization } from '../../directory/organizations/organizations.ts';
import type { FullAnnotation } from '../annotation-row.ts';
import type { AnnotationInput } from '../input-schemas.ts';
import { requireAllowedVisibility } from '../visibility/private-comments.ts';
import { annotationEvent, wantsNotification } from './annotation-event.ts';
import { jsonLengthOfAnnotation, MAX_JSON_LENGTH, TOO_LARGE_MESSAGE } from './annotation-size.ts';
import { autoSubscriptionsOf, saveSubscriptions } from './annotation-users.ts';
import { buildAnnotation } from './build-annotation.ts';
import { findRefusals } from './find-refusals.ts';
import { namingScopeOf, readUsersEarly, usersNamedIn } from './resolve-users.ts';
import {
  insertAnnotations,
  insertComments,
  insertReactions,
  setLastNumber,
  takeNumbers,
} from './save-annotations.ts';
import type { AddAnnotationsInput, AnnotationOutcome } from './schema.ts';

/** The limit for the annotations of one call together, in characters of JSON. */
const MAX_LENGTH_OF_CALL = 16 * MAX_JSON_LENGTH;
const CALL_TOO_LARGE =
  'The annotations of one call may hold at most 32 MB together, including the stored fields of the users whom they name. Add them in several calls.';

type Item = AnnotationInput & { annotationId: string; index: number };

/** A new annotation with the item of the call that it was built from. */
interface NewAnnotation {
  item: Item;
  row: FullAnnotation;
}

/**
 * Adds annotations with their first comments. Refuses an annotation, but adds the others, if its id
 * already exists anywhere under the API key, if it is too large or names an unknown attachment, or,
 * with verifyUserPermissions, if an author has no access.
 */
export async function addAnnotations(
  ctx: KeyContext,
  input: AddAnnotationsInput,
): Promise<Record<string, AnnotationOutcome>> {
  const { commentAnnotations } = input;
  requireAllowedVisibility(
    ctx,
    commentAnnotations.map((annotation) => annotation.visibility),
  );
  await requireAccess(ctx, { ...input, role: 'commenter' });
  const withIds = commentAnnotations.map((annotation, index) => ({
    ...annotation,
    annotationId: annotation.annotationId ?? newId(),
    index,
  }));
  const items = lastOfEach(withIds, (item) => item.annotationId);
  return ctx.db.transaction((tx) => addItems(ctx, tx, input, items));
}

async function addItems(
  ctx: KeyContext,
  tx: Transaction,
  input: AddAnnotationsInput,
  items: Item[],
) {
  const { tenantId } = ctx;
  const prepared = await prepare(ctx, tx, input, items);
  const { place, lastNumber, refused, attachments, resolveUsers } = prepared;
  const accepted = items
    .filter((item) => !refused.has(item.annotationId))
    .map((item) => ({ ...item, commentData: item.commentData.map(attachments.withStoredFields) }));
  const users = await resolveUsers(usersNamedInItems(ctx, accepted));
  const now = ctx.clock.now();
  const built: NewAnnotation[] = [];
  let totalLength = 0;
  for (const item of accepted) {
    const annotationNumber = lastNumber + built.length + 1;
    const path = `commentAnnotations[${item.index}]`;
    const row = buildAnnotation(ctx, item, { place, users, now, annotationNumber, path });
    // An annotation may have grown: it now has the stored fields of the users whom it names.
    const length = await jsonLengthOfAnnotation(row);
    if (length > MAX_JSON_LENGTH) {
      refused.set(item.annotationId, TOO_LARGE_MESSAGE);
      continue;
    }
    built.push({ item, row });
    totalLength += length;
    if (totalLength > MAX_LENGTH_OF_CALL) throw invalidArgument(CALL_TOO_LARGE);
  }
  linkAttachments(
    ctx,
    tx,
    built.map(({ item }) => ({ ...place, ...item, contents: item.commentData })),
  );
  if (refused.size > 0) setLastNumber(tx, tenantId, input, lastNumber + built.length);
  const rows = built.map(({ row }) => row);
  await insertRows(ctx, tx, rows);
  await ctx.events.append(tx, tenantId, eventsOf(ctx, built));
  return outcomesOf(items, rows, refused);
}

/** Locks the document, takes a number for every item, and finds out which items are refused. */
async function prepare(
  ctx: KeyContext,
  tx: Transaction,
  input: AddAnnotationsInput,
  items: Item[],
) {
  const { organizationId, documentId } = input;
  const takeAll = () => takeNumbers(tx, ctx.tenantId, input, items.length);
  const commentData = items.flatMap((item) => item.commentData);
  // All statements are sent at once, before it is known whether the document exists.
  const [{ folderId }, numberBefore, refusals, attachments, resolveUsers] = await pipeline([
    ensureDocument(ctx, tx, input),
    takeAll(),
    findRefusals(ctx, tx, input, items),
    readNamedAttachments(ctx, tx, input, commentData),
    readUsersEarly(ctx, tx, namingScopeOf(input), usersNamedInItems(ctx, items)),
  ]);
  // A missing document had no numbers to take, and no author had access to it. Now that it exists, both
  // statements are repeated.
  const isNew = numberBefore === undefined;
  const lastNumber = numberBefore ?? (await takeAll()) ?? 0;
  const mustVerifyAgain = isNew && input.verifyUserPermissions;
  const refused = mustVerifyAgain ? await findRefusals(ctx, tx, input, items) : refusals;
  refuseUnknownAttachments(items, attachments, refused);
  const place = { organizationId, documentId, folderId };
  return { place, lastNumber, refused, attachments, resolveUsers };
}

/** Adds to `refused` the annotations that name unknown attachments. */
function refuseUnknownAttachments(
  items: Item[],
  { problemOf }: NamedAttachments,
  refused: Map<string, string>,
): void {
  for (const { annotationId, commentData } of items) {
    const [problem] = commentData.flatMap((comment) => problemOf(comment) ?? []);
    if (!problem || refused.has(annotationId)) continue;
    refused.set(annotationId, `${problem.path} ${problem.message}.`);
  }
}

/** The users whom annotations name: authors, mentioned, addressed, assigned and reacting users. */
const usersNamedInItems = (ctx: KeyContext, items: Item[]) => [
  ...usersNamedIn(
    ctx,
    items.flatMap((item) => item.commentData),
  ),
  ...items.map((item) => item.assignedTo),
  ...reactingUsersIn(ctx, items),
];

const reactingUsersIn = (ctx: KeyContext, items: Item[]) =>
  ctx.userId === undefined
    ? items.flatMap(({ reactions = [] }) => reactions.map(({ from }) => from))
    : [];

async function insertRows(ctx: KeyContext, tx: Transaction, rows: FullAnnotation[]): Promise<void> {
  if (rows.length === 0) return;
  await insertAnnotations(tx, ctx.tenantId, rows);
  await insertComments(tx, ctx.tenantId, rows);
  insertReactions(tx, ctx.tenantId, rows);
  const annotations = rows.map((row) => ({
    annotation: row,
    changes: autoSubscriptionsOf(row.comments),
  }));
  saveSubscriptions(tx, ctx.tenantId, annotations);
}

const eventsOf = (ctx: KeyContext, built: NewAnnotation[]) =>
  built.values().map(({ item, row }) =>
    annotationEvent(ctx, 'comment_annotation.add', row, {
      actionUser: row.from,
      commentIds: commentIdsOf(row),
      triggerNotification: item.commentData.some((comment) =>
        wantsNotification(ctx, comment.triggerNotification),
      ),
    }),
  );

const commentIdsOf = (row: FullAnnotation) => row.comments.map((comment) => comment.commentId);

function outcomesOf(items: Item[], rows: FullAnnotation[], refused: Map<string, string>) {
  const byId = new Map(rows.map((row) => [row.annotationId, row]));
  return Object.fromEntries(
    items.map(({ annotationId }): [string, AnnotationOutcome] => {
      const row = byId.get(annotationId);
      const message = refused.get(annotationId) ?? 'Annotation added.';
      const commentIds = row ? commentIdsOf(row) : [];
      return [annotationId, { success: row !== undefined, annotationId, commentIds, message }];
    }),
  );
}

/**
 * Locks a document against deletion until the transaction ends. Creates a missing document if an API
 * key asks for that, but never for a user token.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, document_not_found)
 */
async function ensureDocument(
  ctx: KeyContext,
  tx: Transaction,
  input: DocumentRef & { createOrganization?: boolean; createDocument?: boolean },
): Promise<{ folderId: string | null }> {
  const mayCreate = ctx.userId === undefined;
  const createsOrganization = mayCreate && input.createOrganization;
  const [, found] = await pipeline([
    createsOrganization && ensureOrganization(ctx, tx, input.organizationId),
    lockDocument(tx, ctx.tenantId, input),
  ]);
  if (found) return found;
  if (mayCreate && input.createDocument) return await createDocument(ctx, tx, input);
  throw placeNotFound('document');
}

/** Creates and locks a document, or locks the one that another call creates at the same time. */
async function createDocument(ctx: KeyContext, tx: Transaction, place: DocumentRef) {
  await addMissingDocument(ctx, tx, place);
  const locked = await lockDocument(tx, ctx.tenantId, place);
  if (locked) return locked;
  throw new LostRace(
    'Another call created the document, but it was deleted before it could be locked.',
  );
}
