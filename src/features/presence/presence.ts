import { lastOfEach } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { requireDocumentAccess } from '../access/require-access.ts';
import { changePresence } from './change-presence.ts';
import { goneBefore, showPresence } from './present-presence.ts';
import { type PresencePlace, readPresence } from './read-presence.ts';
import type {
  DeletePresenceInput,
  GetPresenceInput,
  PresentedPresence,
  UpdatePresenceInput,
} from './schema.ts';

const SUCCESS = { success: true } as const;

/** Says that users are present (4.10), or still are. Fields that are left out stay as they were. */
export async function updatePresence(ctx: KeyContext, input: UpdatePresenceInput) {
  const users = lastOfEach(input.users, (user) => user.userId);
  const userIds = users.map((user) => user.userId);
  await requireOwn(ctx, input, userIds);
  const place = placeOf(ctx, input);
  const now = ctx.clock.now();
  const rows = users.map(({ userId, name, email, status }) => ({
    user_id: userId,
    status,
    // Of users it is shown what is known of them.
    ...(ctx.userId === undefined && { name, email }),
  }));
  // A name of an entry that had gone does not come back with it: the sweep may not have been there.
  const write = sql`
    INSERT INTO presence (tenant_id, organization_id, document_id, user_id, name, email, status,
      seen_at)
    SELECT ${place.tenantId}, ${place.organizationId}, ${place.documentId}, user_id, name, email,
           status, ${new Date(now)}
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS said(
      user_id text, name text, email text, status text)
    ORDER BY user_id
    ON CONFLICT (tenant_id, organization_id, document_id, user_id) DO UPDATE SET
      status = excluded.status, seen_at = excluded.seen_at, lapsed = false,
      name = COALESCE(excluded.name, CASE WHEN presence.seen_at > ${goneBefore(now)}
                                     THEN presence.name END),
      email = COALESCE(excluded.email, CASE WHEN presence.seen_at > ${goneBefore(now)}
                                       THEN presence.email END)`;
  await changePresence(ctx, place, userIds, [write]);
  return SUCCESS;
}

/** Everybody who is present, or those of them who are named. Users see whom others may see. */
export async function getPresence(
  ctx: KeyContext,
  input: GetPresenceInput,
): Promise<PresentedPresence[]> {
  await requireDocumentAccess(ctx, { ...input, role: 'viewer' });
  const place = placeOf(ctx, input);
  const present = await readPresence(ctx.db, place, ctx.clock.now(), input.userIds);
  return present.map((user) => showPresence(ctx, user));
}

/** Takes back what was said of users. Who is connected stays present. */
export async function deletePresence(ctx: KeyContext, input: DeletePresenceInput) {
  await requireOwn(ctx, input, input.userIds);
  const place = placeOf(ctx, input);
  const write = sql`
    DELETE FROM presence
    WHERE tenant_id = ${place.tenantId} AND organization_id = ${place.organizationId}
      AND document_id = ${place.documentId} AND user_id = ANY(${input.userIds})`;
  await changePresence(ctx, place, input.userIds, [write]);
  return SUCCESS;
}

const placeOf = (
  { tenantId }: KeyContext,
  { organizationId, documentId }: Omit<PresencePlace, 'tenantId'>,
): PresencePlace => ({ tenantId, organizationId, documentId });

/** A user token speaks of its own user only, in documents that this user may see. */
async function requireOwn(
  ctx: KeyContext,
  place: { organizationId: string; documentId: string },
  userIds: string[],
): Promise<void> {
  if (ctx.userId === undefined) return;
  await requireDocumentAccess(ctx, { ...place, role: 'viewer' });
  if (userIds.every((userId) => userId === ctx.userId)) return;
  throw new AppError('PERMISSION_DENIED', 'A user token speaks of its own user only.');
}
