import type { Client } from 'pg';
import { growthOfLists, type Tables } from '../growth/lists.ts';
import { pageTokenAfter } from '../growth/page-tokens.ts';
import { fillBy } from '../harness/fill.ts';

const path = '/v2/organizations/get';
const pageSize = 50;

function tables(count: number): Tables {
  const late = `organization-${Math.floor(count / 2)}`;
  const pageToken = pageTokenAfter('organizations.get', {}, [late]);
  const organizationIds = Array.from(
    { length: 30 },
    (_, n) => `organization-${Math.floor((n * count) / 30)}`,
  );
  return {
    Organizations: {
      'first page': { path, data: { pageSize } },
      'page in the middle': { path, data: { pageSize, pageToken } },
      '30 by id': { path, data: { organizationIds } },
    },
  };
}

const fill = (database: Client, count: number) =>
  fillBy(database, count, [
    `INSERT INTO organizations (tenant_id, organization_id, organization_name)
     SELECT :tenant, 'organization-' || n, 'Organization ' || n
     FROM generate_series(0, :count - 1) AS n`,
  ]);

export default growthOfLists({
  name: 'growth-organizations',
  sizeOf: 'organizations',
  fill,
  tables,
});
