import { type Queryable, sql } from '../../platform/database/database.ts';
import type { Grant } from './access.ts';
import { keyOf, type ResourceRef } from './places.ts';

/** Grants by user, then by the key of their place. */
export type GrantsByUser = Map<string, Map<string, Grant>>;

export interface GrantRow extends Omit<Grant, 'expiresAt'> {
  userId: string;
  resourceType: ResourceRef['type'];
  resourceId: string;
  expiresAt: string | null;
}

/** The users' grants on the organization and on these places of it. */
export async function loadGrants(
  db: Queryable,
  query: { tenantId: string; organizationId: string; userIds: string[] },
  places: ResourceRef[],
): Promise<GrantsByUser> {
  const idsOf = (type: ResourceRef['type']) => [
    ...new Set(places.filter((place) => place.type === type).map((place) => place.id)),
  ];
  // PostgreSQL hashes IN (SELECT unnest). A prepared ANY compares every grant with every id.
  const rows = await db.query<GrantRow>(sql`
    SELECT user_id AS "userId", resource_type AS "resourceType", resource_id AS "resourceId",
           access_role AS "accessRole", expires_at AS "expiresAt", context
    FROM grants
    WHERE tenant_id = ${query.tenantId} AND organization_id = ${query.organizationId}
      AND user_id = ANY(${query.userIds})
      AND (resource_type = 'organization'
           OR (resource_type = 'folder'
               AND resource_id IN (SELECT unnest(${idsOf('folder')}::text[])))
           OR (resource_type = 'document'
               AND resource_id IN (SELECT unnest(${idsOf('document')}::text[]))))`);
  return grantsByUser(rows);
}

export function grantsByUser(rows: GrantRow[]): GrantsByUser {
  const grants: GrantsByUser = new Map();
  for (const { userId, resourceType, resourceId, accessRole, expiresAt, context } of rows) {
    const own = grants.get(userId) ?? new Map<string, Grant>();
    const grant = { accessRole, context, expiresAt: expiresAt === null ? null : Number(expiresAt) };
    grants.set(userId, own.set(keyOf(resourceType, resourceId), grant));
  }
  return grants;
}
