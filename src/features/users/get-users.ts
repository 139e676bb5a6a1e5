import type { KeyContext } from '../../api/context.ts';
import { pageOf, readPageToken, writePageToken } from '../../api/paging.ts';
import { mapInChunks } from '../../platform/chunks.ts';
import { empty, sql } from '../../platform/database/database.ts';
import { isActiveGrant } from '../access/active-grant.ts';
import { loadAccessTo } from '../access/load-access.ts';
import { resourceOf } from '../access/places.ts';
import { requireAccess, requireKnown } from '../access/require-access.ts';
import { presentUser, type UserRow } from '../access/users/present-user.ts';
import type { GetUsersInput } from '../access/users/schema.ts';
import { showPerson } from './show-person.ts';

/**
 * Returns a page of the users with a role directly on the organization, folder or document, ordered
 * by id. A user token needs the role `viewer` there.
 */
export async function getUsers(ctx: KeyContext, input: GetUsersInput) {
  const { organizationId, documentId, folderId, userIds, pageSize, pageToken } = input;
  const place = { organizationId, documentId, folderId };
  const query = {
    operation: 'users.get',
    tenantId: ctx.tenantId,
    filters: { ...place, userIds },
  };
  const [after] = readPageToken(ctx.secrets, query, pageToken) ?? [];
  await requireAccess(ctx, { ...place, role: 'viewer' });
  const found = await selectUsers(ctx, input, after);
  // An empty page may mean that the resource does not exist.
  if (found.length === 0 && ctx.userId === undefined) {
    requireKnown(await loadAccessTo(ctx.db, { tenantId: ctx.tenantId, userId: '' }, place), place);
  }
  const { rows, nextPageToken } = pageOf(found, pageSize, (last) =>
    writePageToken(ctx.secrets, query, [last.userId]),
  );
  return {
    data: await mapInChunks(rows, (row) => showPerson(ctx, presentUser(row))),
    nextPageToken,
  };
}

/**
 * Reads one row more than the page, to know whether another page follows. The page is cut before
 * each of its users is looked up (OFFSET 0 keeps it so), since a join could read all users.
 */
function selectUsers(ctx: KeyContext, input: GetUsersInput, after: string | undefined) {
  const { type, id } = resourceOf(input);
  const byIds = input.userIds?.length ? sql`AND user_id = ANY(${input.userIds})` : empty;
  const fromPage = after === undefined ? empty : sql`AND user_id > ${after}`;
  return ctx.db.query<UserRow>(sql`
    SELECT page.user_id AS "userId", name, email, initial, metadata, access_role AS "accessRole"
    FROM (
      SELECT user_id, access_role FROM grants
      WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${input.organizationId}
        AND resource_type = ${type} AND resource_id = ${id}
        AND ${isActiveGrant(sql`grants`, ctx.clock)}
        ${byIds} ${fromPage}
      ORDER BY user_id LIMIT ${input.pageSize + 1}
    ) AS page CROSS JOIN LATERAL (
      SELECT name, email, initial, metadata FROM users
      WHERE tenant_id = ${ctx.tenantId} AND user_id = page.user_id OFFSET 0
    ) AS person
    ORDER BY page.user_id`);
}
