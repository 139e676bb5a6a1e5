import type { Pool } from 'pg';

interface Query {
  organizationId: string;
  userIds: string[];
  documentIds: string[];
}

/** Resolves the access of each user to each document in one statement, with a row for each pair. */
export const resolvePermissions = (pool: Pool, tenantId: string, query: Query) =>
  pool.query({
    name: 'resolve-permissions',
    text: `
      WITH RECURSIVE chain AS (
        SELECT document_id, folder_id AS above, access_type AS type, 0 AS distance,
               'document' AS place_type, document_id AS place
        FROM documents
        WHERE tenant_id = $1 AND organization_id = $2 AND document_id = ANY($4)
        UNION ALL
        SELECT document_id, f.parent_folder_id, f.access_type, distance + 1, 'folder', f.folder_id
        FROM chain JOIN folders f
          ON f.tenant_id = $1 AND f.organization_id = $2 AND f.folder_id = chain.above
      ), wanted AS (
        SELECT document_id,
          (array_agg(type ORDER BY distance) FILTER (WHERE type IS NOT NULL AND distance > 0))[1] AS type
        FROM chain GROUP BY document_id
      ), own AS (
        SELECT resource_type, resource_id, user_id, access_role FROM grants
        WHERE tenant_id = $1 AND organization_id = $2 AND user_id = ANY($3)
          AND (expires_at IS NULL OR expires_at > extract(epoch FROM now()))
      ), nearest AS (
        SELECT DISTINCT ON (user_id, document_id) user_id, document_id, access_role
        FROM own JOIN chain ON resource_type = place_type AND resource_id = place
        ORDER BY user_id, document_id, distance
      )
      SELECT u.user_id, w.document_id, w.type,
        COALESCE(n.access_role,
          CASE WHEN w.type <> 'restricted' THEN member.access_role END,
          CASE WHEN w.type = 'public' THEN 'viewer' END) AS role
      FROM unnest($3::text[]) AS u(user_id) CROSS JOIN wanted w
      LEFT JOIN nearest n ON n.user_id = u.user_id AND n.document_id = w.document_id
      LEFT JOIN own member ON member.resource_type = 'organization' AND member.user_id = u.user_id`,
    values: [tenantId, query.organizationId, query.userIds, query.documentIds],
  });
