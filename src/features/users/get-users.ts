import type { KeyContext } from '../../api/context.ts';
import { readPage, rowsAmong } from '../../api/paging.ts';
import { mapInChunks } from '../../platform/chunks.ts';
import { sql } from '../../platform/database/database.ts';
import { isActiveGrant, isGrantOn } from '../access/active-grant.ts';
import { requireAccess, requireExisting } from '../access/require-access.ts';
import type { GetUsersInput } from '../access/users/schema.ts';
import { presentUser, type UserRow } from '../access/users/users.ts';
import { showPerson } from './show-person.ts';

/**
 * Returns a page of the users with a role directly on the organization, folder or document, ordered
 * by id. A user token needs the role `viewer` there.
 */
export async function getUsers(ctx: KeyContext, input: GetUsersInput) {
  const { organizationId, documentId, folderId, userIds, pageSize, pageToken } = input;
  const place = { organizationId, documentId, folderId };
  const filters = { ...place, userIds };
  const query = { operation: 'users.get', filters, pageSize, pageToken };
  const userId = sql`user_id`;
  const table = sql`grants`;
  const where = sql`tenant_id = ${ctx.tenantId} AND ${isGrantOn(table, place)}`;
  // The page is limited before its users are looked up, since a join could read all users. OFFSET 0
  // keeps PostgreSQL from changing this order.
  const { rows, nextPageToken } = await readPage(ctx, query, [userId, idOf], async (endOfQuery) => {
    await requireAccess(ctx, { ...place, role: 'viewer' });
    return ctx.db.query<UserRow>(sql`
      SELECT page.user_id AS "userId", name, email, initial, metadata, access_role AS "accessRole"
      FROM (
        SELECT user_id, access_role FROM ${rowsAmong({ table, where, idColumn: userId }, userIds)} g
        WHERE ${isActiveGrant(sql`g`, ctx.clock)} ${endOfQuery}
      ) AS page CROSS JOIN LATERAL (
        SELECT name, email, initial, metadata FROM users
        WHERE tenant_id = ${ctx.tenantId} AND user_id = page.user_id OFFSET 0
      ) AS person
      ORDER BY page.user_id`);
  });
  // An empty page may mean that the resource does not exist.
  if (rows.length === 0 && ctx.userId === undefined) await requireExisting(ctx, place);
  const data = await mapInChunks(rows, (row) => showPerson(ctx, presentUser(row)));
  return { data, nextPageToken };
}

const idOf = ({ userId }: UserRow) => userId;
