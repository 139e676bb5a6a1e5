import { mergeItems } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import { type Sql, sql } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { DocumentRef } from '../access/places.ts';
import { requireAccess } from '../access/require-access.ts';
import {
  changePresence,
  eventsOfDifference,
  type PresenceDependencies,
} from './change-presence.ts';
import {
  expiredBefore,
  inPlace,
  type PresencePlace,
  readPresence,
  timedOutBefore,
} from './read-presence.ts';
import type { DeletePresenceInput, GetPresenceInput, UpdatePresenceInput } from './schema.ts';
import { createPresencePresenter } from './show-presence.ts';

const SUCCESS = { success: true } as const;

/** Sets or renews the presence of users (specification 4.10). Fields that are left out keep their value. */
export async function updatePresence(ctx: KeyContext, input: UpdatePresenceInput) {
  const merged = mergeItems(input.users, (user) => user.userId);
  const users = merged.map((user) => ({ ...user, status: user.status ?? 'online' }));
  const userIds = users.map((user) => user.userId);
  await requireSelf(ctx, input, userIds);
  // With a user token, the stored name and email cannot be changed.
  const changes = ctx.userId === undefined ? users : users.map(withoutNameAndEmail);
  await setPresence(ctx, documentOf(ctx, input), changes);
  return SUCCESS;
}

const withoutNameAndEmail = ({ userId, status }: PresenceInput): PresenceInput => ({
  userId,
  status,
});

/** Returns all present users, or those of them that the input names. */
export async function getPresence(ctx: KeyContext, input: GetPresenceInput) {
  await requireAccess(ctx, { ...input, role: 'viewer' });
  const document = documentOf(ctx, input);
  const present = await readPresence(ctx.db, document, ctx.clock.now(), input.userIds);
  return present.map(await createPresencePresenter(ctx, document, present));
}

/** Removes presence that was set through the API. Connected users stay present. */
export async function deletePresence(ctx: KeyContext, input: DeletePresenceInput) {
  await requireSelf(ctx, input, input.userIds);
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

/** Requires that a user token names only its own user, and that this user may see the document. */
async function requireSelf(ctx: KeyContext, place: DocumentRef, userIds: string[]): Promise<void> {
  if (ctx.userId === undefined) return;
  await requireAccess(ctx, { ...place, role: 'viewer' });
  if (userIds.every((userId) => userId === ctx.userId)) return;
  throw new AppError(
    'PERMISSION_DENIED',
    'A user token can change only the presence of its own user.',
  );
}

/** The presence of a user as a caller sets it. Fields that are left out keep their value. */
interface PresenceInput {
  userId: string;
  name?: string | undefined;
  email?: string | undefined;
  status: string;
}

/**
 * Sets the presence of users, each named once. For users who are already present, one statement renews
 * or changes it.
 */
async function setPresence(
  deps: PresenceDependencies,
  place: PresencePlace,
  users: PresenceInput[],
) {
  const now = deps.clock.now();
  if (await changeIfAllPresent(deps, place, users, now)) return;
  const userIds = users.map(({ userId }) => userId);
  await changePresence(deps, place, userIds, [upsertOf(place, users, now)]);
}

/**
 * Sets the presence of users, if each of them has a current status: one that was set and has not timed out.
 * Other users see this status whether the user is connected or not, so locking these rows is enough to
 * publish the changes in order.
 *
 * In the statement, `locked` has the users with a current status; `before` has the same users, or nobody if one
 * of `users` has no current status.
 *
 * @returns false when one of the users has no current status; then nothing was changed
 */
async function changeIfAllPresent(
  { db, events }: PresenceDependencies,
  place: PresencePlace,
  users: PresenceInput[],
  now: number,
): Promise<boolean> {
  const userIds = users.map(({ userId }) => userId);
  const [counts] = await db.write<{ written: number; published: number }>(sql`
    WITH locked AS MATERIALIZED (
      SELECT presence.user_id, COALESCE(presence.name, users.name) AS name,
             COALESCE(presence.email, users.email) AS email, presence.status,
             input.name AS new_name, input.email AS new_email, input.status AS new_status
      FROM presence JOIN ${inputOf(users)} ON input."userId" = presence.user_id
      LEFT JOIN users
        ON users.tenant_id = ${place.tenantId} AND users.user_id = ANY(${userIds})
        AND users.user_id = presence.user_id
      WHERE presence.tenant_id = ${place.tenantId}
        AND presence.organization_id = ${place.organizationId}
        AND presence.document_id = ${place.documentId} AND presence.user_id = ANY(${userIds})
        AND seen_at > ${timedOutBefore(now)} AND NOT lapsed
      ORDER BY presence.user_id FOR NO KEY UPDATE OF presence
    ), before AS MATERIALIZED (
      SELECT * FROM locked WHERE (SELECT count(*) FROM locked) = ${users.length}
    ), after AS (
      SELECT user_id, COALESCE(new_name, name) AS name, COALESCE(new_email, email) AS email,
             new_status AS status
      FROM before
    ), written AS (
      UPDATE presence SET seen_at = ${new Date(now)}, status = new_status,
        name = COALESCE(new_name, presence.name), email = COALESCE(new_email, presence.email)
      FROM before
      WHERE ${inPlace(place)} AND presence.user_id = ANY(${userIds})
        AND presence.user_id = before.user_id
      RETURNING 1
    ), published AS (
      ${events.insertionOf(place.tenantId, eventsOfDifference(place, userIds))} RETURNING 1
    )
    SELECT (SELECT count(*)::int FROM written) AS written,
           (SELECT count(*)::int FROM published) AS published`);
  if (counts && counts.published > 0) await db.whenCommitted(async () => events.wake());
  return counts?.written === users.length;
}

const inputOf = (users: PresenceInput[]): Sql => sql`
  jsonb_to_recordset(${JSON.stringify(users)}::jsonb) AS input(
    "userId" text, name text, email text, status text)`;

/** SQL that sets presence. The name and email of an entry that has expired but still exists are not kept. */
const upsertOf = (place: PresencePlace, users: PresenceInput[], now: number): Sql => sql`
  INSERT INTO presence (tenant_id, organization_id, document_id, user_id, name, email, status,
    seen_at)
  SELECT ${place.tenantId}, ${place.organizationId}, ${place.documentId}, "userId", name, email,
         status, ${new Date(now)}
  FROM ${inputOf(users)} ORDER BY "userId"
  ON CONFLICT (tenant_id, organization_id, document_id, user_id) DO UPDATE SET
    status = excluded.status, seen_at = excluded.seen_at, lapsed = false,
    name = COALESCE(excluded.name, CASE WHEN presence.seen_at > ${expiredBefore(now)}
                                   THEN presence.name END),
    email = COALESCE(excluded.email, CASE WHEN presence.seen_at > ${expiredBefore(now)}
                                     THEN presence.email END)`;
