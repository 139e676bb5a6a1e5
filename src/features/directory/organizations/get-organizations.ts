import type { KeyContext } from '../../../api/context.ts';
import { pageOf, readPageToken, writePageToken } from '../../../api/paging.ts';
import { mapInChunks } from '../../../platform/chunks.ts';
import { empty, sql } from '../../../platform/database/database.ts';
import { type OrganizationRow, organizationColumns, presentOrganization } from './organizations.ts';
import type { GetOrganizationsInput } from './schema.ts';

/** Returns a page of the key's organizations, ordered by id. Unknown ids are omitted. */
export async function getOrganizations(ctx: KeyContext, input: GetOrganizationsInput) {
  const { organizationIds, pageSize, pageToken } = input;
  const { tenantId } = ctx;
  const query = { operation: 'organizations.get', tenantId, filters: { organizationIds } };
  const [after] = readPageToken(ctx.secrets, query, pageToken) ?? [];
  const byIds = organizationIds?.length
    ? sql`AND organization_id = ANY(${organizationIds})`
    : empty;
  const fromPage = after === undefined ? empty : sql`AND organization_id > ${after}`;
  const found = await ctx.db.query<OrganizationRow>(sql`
    SELECT ${organizationColumns} FROM organizations
    WHERE tenant_id = ${tenantId} ${byIds} ${fromPage}
    ORDER BY organization_id LIMIT ${pageSize + 1}`);
  const { rows, nextPageToken } = pageOf(found, pageSize, (last) =>
    writePageToken(ctx.secrets, query, [last.organizationId]),
  );
  return { data: await mapInChunks(rows, presentOrganization), nextPageToken };
}
