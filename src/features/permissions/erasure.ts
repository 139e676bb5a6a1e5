import type { Clock } from '../../platform/clock.ts';
import { type Sql, sql } from '../../platform/database/database.ts';
import type { DependentRows } from '../../platform/erasure/dependent-rows.ts';
import { removeRows } from '../../platform/erasure/remove-rows.ts';
import { isActiveGrant } from '../access/active-grant.ts';

export const eraseGrants = removeRows({
  name: 'grants',
  table: sql`grants`,
  key: sql`organization_id, resource_type, resource_id, user_id`,
});

/** SQL: whether user `u` has an active grant in any organization. */
export const hasGrant = (clock: Clock): Sql => sql`EXISTS (
  SELECT 1 FROM grants g WHERE g.tenant_id = u.tenant_id AND g.user_id = u.user_id
    AND ${isActiveGrant(sql`g`, clock)})`;

/** SQL: deletes the grants on deleted documents or folders. */
export const grantsOn =
  (resourceType: 'document' | 'folder'): DependentRows =>
  (tenantId, isDeleted) =>
    sql`
    DELETE FROM grants
    WHERE tenant_id = ${tenantId} AND resource_type = ${resourceType}
      AND ${isDeleted(sql`resource_id`)}`;

/** SQL: the organizations in which the user `asked.user_id` of the enclosing query has a grant. */
export const organizationsOfGrants = (tenantId: string): Sql => sql`
  SELECT organization_id FROM grants WHERE tenant_id = ${tenantId} AND user_id = asked.user_id`;
