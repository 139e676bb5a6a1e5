import type { KeyContext } from '../../../api/context.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import { addMissingUsers } from '../../permissions/auto-org-user.ts';
import { presentUser, type UserRow } from '../../users/present-user.ts';
import type { CommentContent, NamedUserObject } from '../comment-row.ts';

/** User objects by id: what is known of each, with what the caller said on top. */
export interface NamedUsers {
  complete(given: NamedUserObject): NamedUserObject;
  /** Who came with the user token; else the author whom the caller names. */
  author(given: NamedUserObject | undefined, path: string): NamedUserObject;
  actor: NamedUserObject | undefined;
}

/**
 * Looks up everybody who is named, in one statement. Where the key wants that, they are added to
 * the organization when missing; `others` are looked up and nothing more.
 */
export async function nameUsers(
  ctx: KeyContext,
  tx: Transaction,
  organizationId: string,
  named: Array<NamedUserObject | undefined>,
  others: Array<string | undefined> = [],
): Promise<NamedUsers> {
  const given = named.filter((user) => user !== undefined);
  await addMissingUsers(ctx, tx, organizationId, given);
  const { userId: actorId } = ctx;
  const ids = [...given.map((user) => user.userId), actorId, ...others].filter(
    (userId) => userId !== undefined,
  );
  const rows = await tx.query<UserRow>(sql`
    SELECT user_id AS "userId", name, email, initial, metadata, NULL AS "accessRole"
    FROM users WHERE tenant_id = ${ctx.tenantId} AND user_id = ANY(${ids})`);
  const known = new Map(rows.map((row) => [row.userId, presentUser(row)]));
  const complete = (user: NamedUserObject) => ({ ...known.get(user.userId), ...user });
  const actor = actorId === undefined ? undefined : complete({ userId: actorId });
  return {
    complete,
    actor,
    author(user, path) {
      if (actor) return actor;
      if (user) return complete(user);
      throw authorMissing(path);
    },
  };
}

function authorMissing(path: string) {
  const message = 'must name the author';
  return invalidArgument(`${path}: ${message}.`, { details: { issues: [{ path, message }] } });
}

/** Everybody whom comments name. With a user token nobody but that user is an author. */
export const usersIn = (
  ctx: KeyContext,
  comments: Array<{ from?: NamedUserObject | undefined } & CommentContent>,
): NamedUserObject[] =>
  comments.flatMap(({ from, taggedUserContacts }) => [
    ...(from && ctx.userId === undefined ? [from] : []),
    ...(taggedUserContacts ?? []),
  ]);
