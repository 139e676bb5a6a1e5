import type { KeyContext } from '../../../api/context.ts';
import { readPage, rowsAmong } from '../../../api/paging.ts';
import { mapInChunks } from '../../../platform/chunks.ts';
import { sql } from '../../../platform/database/database.ts';
import { ORGANIZATIONS, type OrganizationRow, presentOrganization } from './organizations.ts';
import type { GetOrganizationsInput } from './schema.ts';

/** Returns a page of the key's organizations, ordered by id. Unknown ids are omitted. */
export async function getOrganizations(
  ctx: KeyContext,
  { organizationIds, ...paging }: GetOrganizationsInput,
) {
  const { table, columns, idColumn, idOf } = ORGANIZATIONS;
  const where = sql`tenant_id = ${ctx.tenantId}`;
  const query = { operation: 'organizations.get', filters: { organizationIds }, ...paging };
  const { rows, nextPageToken } = await readPage(ctx, query, [idColumn, idOf], (following) =>
    ctx.db.query<OrganizationRow>(sql`
      SELECT ${columns} FROM ${rowsAmong({ table, where, idColumn }, organizationIds)} o
      WHERE true ${following}`),
  );
  return { data: await mapInChunks(rows, presentOrganization), nextPageToken };
}
