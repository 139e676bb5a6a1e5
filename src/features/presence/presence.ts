import { mergeItems } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { DocumentRef } from '../access/places.ts';
import { requireDocumentAccess } from '../access/require-access.ts';
import { changePresence } from './change-presence.ts';
import { inPlace, type PresencePlace, readPresence } from './read-presence.ts';
import type {
  DeletePresenceInput,
  GetPresenceInput,
  PresentedPresence,
  UpdatePresenceInput,
} from './schema.ts';
import { type PresenceInput, setPresence } from './set-presence.ts';
import { presenceFor } from './show-presence.ts';

const SUCCESS = { success: true } as const;

/** Sets or renews the presence of users (4.10). Fields that are left out keep their value. */
export async function updatePresence(ctx: KeyContext, input: UpdatePresenceInput) {
  const users = mergeItems(input.users, (user) => user.userId);
  const userIds = users.map((user) => user.userId);
  await requireOwn(ctx, input, userIds);
  // A user token cannot change the name and the email that are stored.
  const allowed = ctx.userId === undefined ? users : users.map(withoutName);
  await setPresence(ctx, documentOf(ctx, input), allowed);
  return SUCCESS;
}

const withoutName = ({ userId, status }: PresenceInput): PresenceInput => ({ userId, status });

/** Returns all present users, or those of them that are named. */
export async function getPresence(
  ctx: KeyContext,
  input: GetPresenceInput,
): Promise<PresentedPresence[]> {
  await requireDocumentAccess(ctx, { ...input, role: 'viewer' });
  const document = documentOf(ctx, input);
  const present = await readPresence(ctx.db, document, ctx.clock.now(), input.userIds);
  return present.map(await presenceFor(ctx, document, present));
}

/** Removes the presence that was set. Connected users stay present. */
export async function deletePresence(ctx: KeyContext, input: DeletePresenceInput) {
  await requireOwn(ctx, input, input.userIds);
  const document = documentOf(ctx, input);
  const write = sql`
    DELETE FROM presence WHERE ${inPlace(document)} AND user_id = ANY(${input.userIds})`;
  await changePresence(ctx, document, input.userIds, [write]);
  return SUCCESS;
}

const documentOf = (
  { tenantId }: KeyContext,
  { organizationId, documentId }: Omit<PresencePlace, 'tenantId'>,
): PresencePlace => ({ tenantId, organizationId, documentId });

/** A user token changes the presence of its own user only, in documents which that user may see. */
async function requireOwn(ctx: KeyContext, place: DocumentRef, userIds: string[]): Promise<void> {
  if (ctx.userId === undefined) return;
  await requireDocumentAccess(ctx, { ...place, role: 'viewer' });
  if (userIds.every((userId) => userId === ctx.userId)) return;
  throw new AppError('PERMISSION_DENIED', 'A user token speaks of its own user only.');
}
