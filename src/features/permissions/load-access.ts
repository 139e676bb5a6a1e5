import type { AccessType } from '../../api/fields.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import { type ChainLink, loadFolderChains } from '../folders/folder-chains.ts';
import {
  type Access,
  decideAccess,
  decideOrganizationAccess,
  effectiveType,
  type Grant,
} from './access.ts';

export interface AccessQuery {
  tenantId: string;
  organizationId: string;
  userIds: string[];
  folderIds: string[];
  documentIds: string[];
}

/** Everything that decides about access, loaded for any number of users and resources. */
export interface AccessFacts {
  organizationExists: boolean;
  /** Undefined for a resource that does not exist. */
  folder(userId: string, folderId: string, now: number): Access | undefined;
  document(userId: string, documentId: string, now: number): Access | undefined;
  organization(userId: string, now: number): Access;
  /** Every grant of the user that stands on what was asked for, or above it. */
  grantsOf(userId: string): Grant[];
}

interface Place {
  accessType: AccessType;
  /** `folder:<id>`, `document:<id>`, nearest first. */
  keys: string[];
}

/** Four statements, whatever the number of users and resources. */
export async function loadAccess(db: Queryable, query: AccessQuery): Promise<AccessFacts> {
  const { tenantId, organizationId } = query;
  const organizations = await db.query(sql`
    SELECT 1 FROM organizations
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}`);
  const documents = await loadDocuments(db, query);
  const folderIds = [...query.folderIds, ...documents.flatMap((row) => row.folderId ?? [])];
  const chains = await loadFolderChains(db, tenantId, organizationId, folderIds);
  const places = new Map([...folderPlaces(chains), ...documentPlaces(documents, chains)]);
  const grants = await loadGrants(db, query, places);
  const organizationKey = keyOf('organization', organizationId);

  const decide = (userId: string, key: string, now: number): Access | undefined => {
    const place = places.get(key);
    const own = grants.get(userId);
    return (
      place &&
      decideAccess(
        {
          accessType: place.accessType,
          grants: place.keys.map((placeKey) => own?.get(placeKey)),
          organizationGrant: own?.get(organizationKey),
        },
        now,
      )
    );
  };
  return {
    organizationExists: organizations.length > 0,
    folder: (userId, folderId, now) => decide(userId, keyOf('folder', folderId), now),
    document: (userId, documentId, now) => decide(userId, keyOf('document', documentId), now),
    organization: (userId, now) =>
      decideOrganizationAccess(grants.get(userId)?.get(organizationKey), now),
    grantsOf: (userId) => [...(grants.get(userId)?.values() ?? [])],
  };
}

const keyOf = (type: string, id: string) => `${type}:${id}`;

interface DocumentRow {
  documentId: string;
  accessType: AccessType;
  folderId: string | null;
}

function loadDocuments(db: Queryable, query: AccessQuery): Promise<DocumentRow[]> {
  return db.query<DocumentRow>(sql`
    SELECT document_id AS "documentId", access_type AS "accessType", folder_id AS "folderId"
    FROM documents
    WHERE tenant_id = ${query.tenantId} AND organization_id = ${query.organizationId}
      AND document_id = ANY(${query.documentIds})`);
}

function folderPlaces(chains: Map<string, ChainLink[]>): Array<[string, Place]> {
  return [...chains].map(([folderId, chain]) => [
    keyOf('folder', folderId),
    { accessType: effectiveType(chain), keys: chain.map((link) => keyOf('folder', link.folderId)) },
  ]);
}

function documentPlaces(
  documents: DocumentRow[],
  chains: Map<string, ChainLink[]>,
): Array<[string, Place]> {
  return documents.map(({ documentId, accessType, folderId }) => {
    const key = keyOf('document', documentId);
    const chain = folderId === null ? undefined : chains.get(folderId);
    const above = chain?.map((link) => keyOf('folder', link.folderId)) ?? [];
    return [key, { accessType: chain ? effectiveType(chain) : accessType, keys: [key, ...above] }];
  });
}

interface GrantRow extends Omit<Grant, 'expiresAt'> {
  userId: string;
  resourceType: string;
  resourceId: string;
  expiresAt: string | null;
}

async function loadGrants(
  db: Queryable,
  query: AccessQuery,
  places: Map<string, Place>,
): Promise<Map<string, Map<string, Grant>>> {
  const keys = new Set([...places.values()].flatMap((place) => place.keys));
  const idsOf = (type: string) =>
    [...keys].filter((key) => key.startsWith(`${type}:`)).map((key) => key.slice(type.length + 1));
  const rows = await db.query<GrantRow>(sql`
    SELECT user_id AS "userId", resource_type AS "resourceType", resource_id AS "resourceId",
           access_role AS "accessRole", expires_at AS "expiresAt", context
    FROM grants
    WHERE tenant_id = ${query.tenantId} AND organization_id = ${query.organizationId}
      AND user_id = ANY(${query.userIds})
      AND (resource_type = 'organization'
           OR (resource_type = 'folder' AND resource_id = ANY(${idsOf('folder')}))
           OR (resource_type = 'document' AND resource_id = ANY(${idsOf('document')})))`);
  const grants = new Map<string, Map<string, Grant>>();
  for (const { userId, resourceType, resourceId, accessRole, expiresAt, context } of rows) {
    const own = grants.get(userId) ?? new Map<string, Grant>();
    const grant = { accessRole, context, expiresAt: expiresAt === null ? null : Number(expiresAt) };
    grants.set(userId, own.set(keyOf(resourceType, resourceId), grant));
  }
  return grants;
}
