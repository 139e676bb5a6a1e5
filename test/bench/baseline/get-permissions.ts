import type { Pool } from 'pg';

interface Query {
  organizationId: string;
  userIds: string[];
  documentIds: string[];
}

interface DocumentRow {
  document_id: string;
  folders: string[];
  access_type: string;
}

interface GrantRow {
  user_id: string;
  place: string;
  access_role: string;
}

/** The bare queries for the documents with their folders and for the grants. */
async function loadPermissionFacts(pool: Pool, tenantId: string, query: Query) {
  const { rows: documents } = await pool.query<DocumentRow>({
    name: 'documents-with-folders',
    text: `
      WITH RECURSIVE chain AS (
        SELECT document_id, folder_id, access_type AS type, 0 AS distance, folder_id AS folder
        FROM documents
        WHERE tenant_id = $1 AND organization_id = $2 AND document_id = ANY($3)
        UNION ALL
        SELECT document_id, f.parent_folder_id, f.access_type, distance + 1, f.folder_id
        FROM chain JOIN folders f
          ON f.tenant_id = $1 AND f.organization_id = $2 AND f.folder_id = chain.folder_id
      )
      SELECT document_id, array_agg('folder:' || folder ORDER BY distance) AS folders,
             (array_agg(type ORDER BY distance) FILTER (WHERE type IS NOT NULL))[1] AS access_type
      FROM chain WHERE distance > 0 GROUP BY document_id`,
    values: [tenantId, query.organizationId, query.documentIds],
  });
  const folders = documents.flatMap((row) => row.folders.map((key) => key.slice(7)));
  const { rows: grants } = await pool.query<GrantRow>({
    name: 'grants',
    text: `
      SELECT user_id, resource_type || ':' || resource_id AS place, access_role FROM grants
      WHERE tenant_id = $1 AND organization_id = $2 AND user_id = ANY($3)
        AND (resource_type = 'organization'
          OR (resource_type = 'folder' AND resource_id IN (SELECT unnest($4::text[])))
          OR (resource_type = 'document' AND resource_id IN (SELECT unnest($5::text[]))))
        AND (expires_at IS NULL OR expires_at > extract(epoch FROM now()))`,
    values: [tenantId, query.organizationId, query.userIds, folders, query.documentIds],
  });
  return { documents, grants };
}

/** Loads the facts, and loops over them. */
export async function getPermissions(pool: Pool, tenantId: string, query: Query) {
  const { documents, grants } = await loadPermissionFacts(pool, tenantId, query);
  const roles = new Map<string, Map<string, string>>();
  for (const { user_id, place, access_role } of grants) {
    const own = roles.get(user_id) ?? new Map<string, string>();
    roles.set(user_id, own.set(place, access_role));
  }
  const data = Object.fromEntries(
    query.userIds.map((userId) => [userId, permissionsOf(query, documents, roles.get(userId))]),
  );
  return { status: 'success', message: 'User permissions retrieved successfully.', data };
}

function permissionsOf(query: Query, documents: DocumentRow[], roles?: Map<string, string>) {
  const { organizationId } = query;
  const member = roles?.get(`organization:${organizationId}`);
  const entries: Record<string, object> = {};
  for (const { document_id, folders, access_type: accessType } of documents) {
    let role = roles?.get(`document:${document_id}`);
    for (const folder of folders) role ??= roles?.get(folder);
    if (accessType !== 'restricted') role ??= member;
    if (accessType === 'public') role ??= 'viewer';
    entries[document_id] = role ? { accessRole: role, accessType } : denied('document', accessType);
  }
  const accessType = 'organizationPrivate';
  const organization = member
    ? { accessRole: member, accessType }
    : denied('organization', accessType);
  return { documents: entries, organization: { [organizationId]: organization } };
}

const denied = (what: string, accessType: string) => ({
  error: `The user has no access to this ${what}.`,
  errorCode: 'permission_denied',
  accessType,
});
