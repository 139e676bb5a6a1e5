import type { KeyContext } from '../../../api/context.ts';
import { among, readPage } from '../../../api/paging.ts';
import { mapInChunks } from '../../../platform/chunks.ts';
import { sql } from '../../../platform/database/database.ts';
import { ORGANIZATIONS, type OrganizationRow, presentOrganization } from './organizations.ts';
import type { GetOrganizationsInput } from './schema.ts';

/** Returns a page of the key's organizations, ordered by id. Unknown ids are omitted. */
export async function getOrganizations(
  ctx: KeyContext,
  { organizationIds, ...paging }: GetOrganizationsInput,
) {
  const { columns, idColumn, idOf } = ORGANIZATIONS;
  const query = { operation: 'organizations.get', filters: { organizationIds }, ...paging };
  const { rows, nextPageToken } = await readPage(ctx, query, [idColumn, idOf], (following) =>
    ctx.db.query<OrganizationRow>(sql`
      SELECT ${columns} FROM organizations
      WHERE tenant_id = ${ctx.tenantId} ${among(idColumn, organizationIds)} ${following}`),
  );
  return { data: await mapInChunks(rows, presentOrganization), nextPageToken };
}
