import { failed, outcomeMap, succeeded } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import type { ItemOutcome } from '../../api/fields.ts';
import { empty, sql, type Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import type { Dependents } from '../../platform/erasure/dependent-rows.ts';
import { isActiveGrant } from '../access/active-grant.ts';
import { presentUser } from '../access/users/present-user.ts';
import type { DeleteUsersInput } from '../access/users/schema.ts';
import { type GrantPlace, userEvent } from '../access/users/user-event.ts';
import { grantPlaceOf, lockPlace } from './lock-place.ts';
import { lockUsers } from './lock-users.ts';

type Context = KeyContext & { dependents: Dependents };

/**
 * Removes users from an organization, with all their roles and groups in it, or from the named
 * folder or document. Users without any remaining role or group are deleted, which revokes their
 * user tokens.
 */
export function deleteUsers(
  ctx: Context,
  input: DeleteUsersInput,
): Promise<Record<string, ItemOutcome>> {
  const userIds = [...new Set(input.userIds)];
  return ctx.db.transaction(async (tx) => {
    const [place, known] = await pipeline([
      lockPlace(tx, ctx.tenantId, input),
      lockUsers(ctx, tx, grantPlaceOf(input), userIds),
    ]);
    const removed = await removeFrom(ctx, tx, place, [...known.keys()]);
    // A user without anything in the organization may have nothing anywhere.
    const isWhole = place.resourceType === 'organization';
    const leftovers = isWhole ? [...known.keys()] : [...removed];
    const [deleted] = await pipeline([
      deleteLeftovers(ctx, tx, leftovers),
      ...(isWhole ? endDependents(ctx, tx, place, leftovers) : []),
    ]);
    const gone = [...known.values()].filter(
      ({ userId }) => removed.has(userId) || deleted.has(userId),
    );
    const events = gone
      .values()
      .map((user) => userEvent('user.delete', place, user.userId, presentUser(user)));
    await ctx.events.append(tx, ctx.tenantId, events);
    const goneIds = new Set(gone.map((user) => user.userId));
    return outcomeMap(
      userIds.map((userId) => {
        if (goneIds.has(userId)) return succeeded(userId, 'User deleted.');
        const isKnown = known.has(userId);
        const message = isKnown ? `User is not in this ${place.resourceType}.` : unknown;
        return failed(userId, message);
      }),
    );
  });
}

const unknown = 'User does not exist.';

/** Deletes the users' roles on the resource; for an organization, all their roles and groups in it. */
async function removeFrom(
  ctx: KeyContext,
  tx: Transaction,
  { organizationId, resourceType, resourceId }: GrantPlace,
  userIds: string[],
): Promise<Set<string>> {
  const isWhole = resourceType === 'organization';
  const there = isWhole
    ? empty
    : sql`AND resource_type = ${resourceType} AND resource_id = ${resourceId}`;
  const rows = await tx.query<{ userId: string }>(sql`
    WITH ended AS (
      DELETE FROM grants
      WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
        AND user_id = ANY(${userIds}) ${there}
      RETURNING user_id
    ), left_groups AS (
      DELETE FROM user_group_members
      WHERE ${isWhole} AND tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
        AND user_id = ANY(${userIds})
      RETURNING user_id
    )
    SELECT user_id AS "userId" FROM ended UNION SELECT user_id FROM left_groups`);
  return new Set(rows.map((row) => row.userId));
}

/** Ends what other features keep about members of an organization. */
const endDependents = (
  { tenantId, dependents }: Context,
  tx: Transaction,
  { organizationId }: GrantPlace,
  userIds: string[],
) =>
  dependents.member.map((ending) =>
    tx.query(
      ending(
        tenantId,
        (idColumn) => sql`organization_id = ${organizationId} AND ${idColumn} = ANY(${userIds})`,
      ),
    ),
  );

/** Deletes the users who have no active grant and no group. */
async function deleteLeftovers(
  ctx: KeyContext,
  tx: Transaction,
  userIds: string[],
): Promise<Set<string>> {
  const rows = await tx.query<{ userId: string }>(sql`
    DELETE FROM users u
    WHERE u.tenant_id = ${ctx.tenantId} AND u.user_id = ANY(${userIds})
      AND NOT EXISTS (
        SELECT 1 FROM grants g
        WHERE g.tenant_id = ${ctx.tenantId} AND g.user_id = u.user_id
          AND ${isActiveGrant(sql`g`, ctx.clock)})
      AND NOT EXISTS (
        SELECT 1 FROM user_group_members m
        WHERE m.tenant_id = ${ctx.tenantId} AND m.user_id = u.user_id)
    RETURNING u.user_id AS "userId"`);
  return new Set(rows.map((row) => row.userId));
}
