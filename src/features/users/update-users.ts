import { isDeepStrictEqual } from 'node:util';
import { failed, mergeItems, outcomeMap, succeeded } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import { type ItemOutcome, metadataOf, metadataProblem } from '../../api/fields.ts';
import { listToJson, mapInChunks } from '../../platform/chunks.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { initialOf } from '../access/users/initial.ts';
import { presentUser, type UserRow } from '../access/users/present-user.ts';
import { USER_FIELDS, type UserInput, type UsersInput } from '../access/users/schema.ts';
import { type GrantPlace, userEvent } from '../access/users/user-event.ts';
import { grantPlaceOf, lockPlace } from './lock-place.ts';
import { lockUsers } from './lock-users.ts';

/** A user before and after the update, or the reason of a refusal. */
type Change =
  | { userId: string; before: UserRow; after: UserRow }
  | { userId: string; problem: string };

/**
 * Updates the given fields and the role on the named place (4.15). Nobody is added: an entry with a
 * role for a user without one there is refused as a whole.
 */
export function updateUsers(
  ctx: KeyContext,
  input: UsersInput,
): Promise<Record<string, ItemOutcome>> {
  const batch = mergeItems(input.users, (user) => user.userId);
  const userIds = batch.map((user) => user.userId);
  return ctx.db.transaction(async (tx) => {
    const [place, known] = await pipeline([
      lockPlace(tx, ctx.tenantId, input),
      lockUsers(ctx, tx, grantPlaceOf(input), userIds),
    ]);
    const changes = await mapInChunks(batch, (user) =>
      changeOf(user, known.get(user.userId), place),
    );
    await write(ctx, tx, place, changes);
    return outcomeMap(
      changes.map((change) =>
        'problem' in change
          ? failed(change.userId, change.problem)
          : succeeded(change.userId, 'User updated.'),
      ),
    );
  });
}

function changeOf(given: UserInput, before: UserRow | undefined, place: GrantPlace): Change {
  const { userId, accessRole } = given;
  if (!before) return { userId, problem: 'User does not exist.' };
  if (accessRole !== undefined && before.accessRole === null) {
    const problem = `User has no role on this ${place.resourceType} that could be changed. Add the user first.`;
    return { userId, problem };
  }
  const metadata = { ...before.metadata, ...metadataOf(given, USER_FIELDS) };
  const problem = metadataProblem(metadata);
  if (problem) return { userId, problem: `The metadata ${problem}.` };
  const after: UserRow = {
    userId,
    name: given.name ?? before.name,
    email: given.email ?? before.email,
    initial: given.initial ?? initialAfter(given.name, before),
    accessRole: accessRole ?? before.accessRole,
    metadata,
  };
  return { userId, before, after };
}

/** A derived initial follows the name; an explicit one is kept. */
function initialAfter(name: string | undefined, before: UserRow): string | null {
  const wasMade = before.initial === null || before.initial === initialOf(before.name ?? '');
  return name !== undefined && wasMade ? initialOf(name) : before.initial;
}

/** Writes the changed users and publishes their events, in two statements. */
async function write(
  ctx: KeyContext,
  tx: Transaction,
  place: GrantPlace,
  changes: Change[],
): Promise<void> {
  const judged = await mapInChunks(changes, (change) =>
    'problem' in change || isDeepStrictEqual(change.before, change.after) ? [] : [change],
  );
  const different = judged.flat();
  if (different.length === 0) return;
  const list = await listToJson(different.values().map(({ after }) => after));
  tx.beforeCommit(sql`
    WITH input AS (
      SELECT * FROM jsonb_to_recordset(${list}::jsonb) AS u(
        "userId" text, name text, email text, initial text, metadata jsonb, "accessRole" text)
    ), given AS (
      UPDATE grants g SET access_role = input."accessRole" FROM input
      WHERE g.tenant_id = ${ctx.tenantId} AND g.organization_id = ${place.organizationId}
        AND g.resource_type = ${place.resourceType} AND g.resource_id = ${place.resourceId}
        AND g.user_id = input."userId" AND g.access_role <> input."accessRole"
    )
    UPDATE users u SET name = input.name, email = input.email, initial = input.initial,
      metadata = input.metadata, updated_at = now()
    FROM input WHERE u.tenant_id = ${ctx.tenantId} AND u.user_id = input."userId"`);
  await ctx.events.append(
    tx,
    ctx.tenantId,
    different.values().map(({ userId, before, after }) =>
      userEvent('user.update', place, userId, {
        ...presentUser(after),
        previous: presentUser(before),
      }),
    ),
  );
}
