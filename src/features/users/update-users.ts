import { changeRows, mergeItems } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import { metadataOf, metadataProblem } from '../../api/fields.ts';
import { among } from '../../api/paging.ts';
import { jsonLists, mapInChunks } from '../../platform/chunks.ts';
import { sql } from '../../platform/database/database.ts';
import { isGrantOn } from '../access/active-grant.ts';
import { type NamedPlace, resourceOf } from '../access/places.ts';
import { USER_FIELDS, type UserInput, type UsersInput } from '../access/users/schema.ts';
import { initialOf, presentUser, type UserRow, userEvent } from '../access/users/users.ts';
import { lockUsers } from './lock-users.ts';

/**
 * Updates the given fields and the role on the named place (specification 4.15). Nobody is added: an
 * entry with a role for a user who has none there is refused. Few statements write all users and events.
 */
export function updateUsers(ctx: KeyContext, { users, ...place }: UsersInput) {
  const { tenantId } = ctx;
  const idOf = ({ userId }: UserInput) => userId;
  const batch = mergeItems(users, idOf);
  return ctx.db.transaction(async (tx) => {
    const stored = await lockUsers(ctx, tx, place, batch.map(idOf));
    const { outcomes, changes } = await changeRows(batch, stored, {
      noun: 'User',
      idOf,
      apply: (before, update) => roleProblem(before, update, place) ?? merge(before, update),
    });
    if (changes.length === 0) return outcomes;
    const changedIds = changes.map(({ after }) => after.userId);
    const rows = await mapInChunks(changes, ({ after }) => JSON.stringify(after));
    for await (const list of jsonLists(rows)) {
      tx.beforeCommit(sql`
      WITH input AS (
        SELECT * FROM jsonb_to_recordset(${list}::jsonb) AS u(
          "userId" text, name text, email text, initial text, metadata jsonb, "accessRole" text)
      ), changed_roles AS (
        UPDATE grants g SET access_role = input."accessRole" FROM input
        WHERE g.tenant_id = ${tenantId} AND ${isGrantOn(sql`g`, place)}
          AND g.user_id = input."userId" AND g.access_role <> input."accessRole"
          ${among(sql`g.user_id`, changedIds)}
      )
      UPDATE users u SET name = input.name, email = input.email, initial = input.initial,
        metadata = input.metadata, updated_at = now()
      FROM input WHERE u.tenant_id = ${tenantId} AND u.user_id = input."userId"
        ${among(sql`u.user_id`, changedIds)}`);
    }
    const events = changes.values().map(({ before, after }) => {
      const data = { ...presentUser(after), previous: presentUser(before) };
      return userEvent('user.update', place, data);
    });
    await ctx.events.append(tx, tenantId, events);
    return outcomes;
  });
}

function roleProblem(before: UserRow, update: UserInput, place: NamedPlace): string | undefined {
  if (update.accessRole === undefined || before.accessRole !== null) return undefined;
  const { type } = resourceOf(place);
  return `User has no role on this ${type}. Add the user first.`;
}

/** Returns the updated row, or a message if its metadata has a problem. */
function merge(before: UserRow, update: UserInput): UserRow | string {
  const metadata = { ...before.metadata, ...metadataOf(update, USER_FIELDS) };
  const problem = metadataProblem(metadata);
  if (problem) return `The metadata ${problem}.`;
  return {
    userId: before.userId,
    name: update.name ?? before.name,
    email: update.email ?? before.email,
    initial: update.initial ?? initialAfter(update.name, before),
    accessRole: update.accessRole ?? before.accessRole,
    metadata,
  };
}

/** Returns the initial after an update of the name. A derived initial follows the name; an explicit one stays. */
function initialAfter(name: string | undefined, before: UserRow): string | null {
  const wasDerived = before.initial === null || before.initial === initialOf(before.name ?? '');
  return name !== undefined && wasDerived ? initialOf(name) : before.initial;
}
