import { type Queryable, sql } from '../../platform/database/database.ts';
import { loadFolderChainsAcross } from './folder-chains.ts';
import { type AccessFacts, LoadedFacts } from './load-access.ts';
import { type GrantRow, grantsByUser } from './load-grants.ts';
import {
  commentAccessOf,
  type DocumentRow,
  documentResources,
  type Resource,
} from './load-resources.ts';

interface DocumentPlace {
  organizationId: string;
  documentId: string;
}

interface AcrossQuery {
  tenantId: string;
  documents: DocumentPlace[];
  /** Further organizations whose members are asked for. */
  organizationIds: string[];
  userIds: string[];
}

/**
 * The access facts of documents of several organizations, by organization. Runs three statements,
 * whatever the number of organizations, documents and users.
 */
export async function loadAccessAcross(
  db: Queryable,
  query: AcrossQuery,
): Promise<Map<string, AccessFacts>> {
  const rows = await loadDocuments(db, query);
  const inFolders = rows.flatMap(({ organizationId, folderId }) =>
    folderId === null ? [] : { organizationId, folderId },
  );
  const chains = await loadFolderChainsAcross(db, query.tenantId, inFolders);
  const documents = Map.groupBy(rows, (row) => row.organizationId);
  const resources = new Map(
    [...documents].map(([organizationId, own]) => [
      organizationId,
      new Map(documentResources(own, chains.get(organizationId) ?? new Map())),
    ]),
  );
  return loadFacts(db, query, resources);
}

const loadDocuments = (db: Queryable, { tenantId, documents }: AcrossQuery) =>
  db.query<DocumentRow & { organizationId: string }>(sql`
    SELECT DISTINCT d.organization_id AS "organizationId", d.document_id AS "documentId",
           d.access_type AS "accessType", d.folder_id AS "folderId",
           ${commentAccessOf} AS "commentAccess"
    FROM unnest(${documents.map((place) => place.organizationId)}::text[],
                ${documents.map((place) => place.documentId)}::text[])
      AS named(organization_id, document_id)
    JOIN documents d ON d.tenant_id = ${tenantId}
      AND d.organization_id = named.organization_id AND d.document_id = named.document_id
    JOIN api_keys k ON k.id = d.tenant_id`);

/** An id may exist in several organizations, so this may load a few grants that nobody asks for. */
async function loadFacts(
  db: Queryable,
  { tenantId, organizationIds, userIds }: AcrossQuery,
  resources: Map<string, Map<string, Resource>>,
): Promise<Map<string, AccessFacts>> {
  const all = [...new Set([...organizationIds, ...resources.keys()])];
  const places = [...resources.values()].flatMap((own) =>
    [...own.values()].flatMap((resource) => resource.places),
  );
  const idsOf = (type: string) => [
    ...new Set(places.filter((place) => place.type === type).map((place) => place.id)),
  ];
  const rows = await db.query<GrantRow & { organizationId: string }>(sql`
    SELECT organization_id AS "organizationId", user_id AS "userId",
           resource_type AS "resourceType", resource_id AS "resourceId",
           access_role AS "accessRole", expires_at AS "expiresAt", context
    FROM grants
    WHERE tenant_id = ${tenantId} AND organization_id = ANY(${all}) AND user_id = ANY(${userIds})
      AND (resource_type = 'organization'
           OR (resource_type = 'folder'
               AND resource_id IN (SELECT unnest(${idsOf('folder')}::text[])))
           OR (resource_type = 'document'
               AND resource_id IN (SELECT unnest(${idsOf('document')}::text[]))))`);
  const grants = Map.groupBy(rows, (row) => row.organizationId);
  return new Map(
    all.map((id) => [
      id,
      new LoadedFacts(true, id, resources.get(id) ?? new Map(), grantsByUser(grants.get(id) ?? [])),
    ]),
  );
}
