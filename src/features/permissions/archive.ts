import {
  type ArchivedTable,
  namesOrganization,
  ORGANIZATION,
  TENANT,
} from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';

export const archivedGrants: ArchivedTable = { name: 'grants', ofOrganization: namesOrganization };

/** SQL: whether the user `t` has a grant in the organization. */
export const isGranted = sql`EXISTS (
  SELECT FROM grants granted
  WHERE granted.tenant_id = ${TENANT} AND granted.user_id = t.user_id
    AND granted.organization_id = ${ORGANIZATION})`;
