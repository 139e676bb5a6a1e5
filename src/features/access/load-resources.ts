import type { AccessType, CommentAccess } from '../../api/fields.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import { effectiveType, typeSource } from './access.ts';
import {
  type ChainLink,
  type FolderChains,
  loadFolderChains,
  loadFolderChainsAcross,
} from './folder-chains.ts';
import { namedDocuments } from './named-documents.ts';
import { type DocumentRef, keyOf, type ResourceRef } from './places.ts';

/** A document or folder, with the folders above it. */
export interface Resource {
  accessType: AccessType;
  /** The resource that sets the type: itself or a folder. Undefined: none does, so it is public. */
  typeFrom: ResourceRef | undefined;
  /** The users who may comment on a document; absent for folders. */
  commentAccess?: CommentAccess;
  /** Itself and the folders above it, nearest first. */
  path: ResourceRef[];
  /** The place keys of `path`, computed once for all users. */
  keys: string[];
}

interface ResourceQuery {
  tenantId: string;
  organizationId: string;
  folderIds: string[];
  documentIds: string[];
}

/** The named resources of one organization, by their place keys. */
interface LoadedResources {
  organizationExists: boolean;
  /** The documents and folders that exist. */
  resources: Map<string, Resource>;
  /** The keys of what a background job is deleting: named resources, and the organization. */
  beingDeleted: Set<string>;
}

/**
 * Loads the named documents and folders. A resource that a background job is deleting counts as missing, so
 * that access ends as soon as the deletion is requested, even before the job reaches the resource.
 */
export async function loadResources(db: Queryable, query: ResourceQuery): Promise<LoadedResources> {
  const { tenantId, organizationId } = query;
  const { organization, documents } = await loadDocuments(db, query);
  const folderIds = documents.flatMap((row) => row.folderId ?? []).concat(query.folderIds);
  const stored = await loadFolderChains(db, tenantId, organizationId, folderIds);
  const organizationExists = organization !== undefined && !organization.isBeingDeleted;
  const chains = withoutDeleted(stored);
  const resources = new Map(
    organizationExists ? [...folderResources(chains), ...documentResources(documents, chains)] : [],
  );
  const storedKeys = [
    ...[...stored.keys()].map((folderId) => keyOf('folder', folderId)),
    ...documents.map(({ documentId }) => keyOf('document', documentId)),
  ];
  const beingDeleted = new Set(storedKeys.filter((key) => !resources.has(key)));
  if (organization?.isBeingDeleted) beingDeleted.add(keyOf('organization', organizationId));
  return { organizationExists, resources, beingDeleted };
}

/**
 * Loads documents of several organizations, by organization and place key. OFFSET 0 makes PostgreSQL look
 * up each document by its id.
 */
export async function loadResourcesAcross(
  db: Queryable,
  tenantId: string,
  documents: DocumentRef[],
): Promise<Map<string, Map<string, Resource>>> {
  if (documents.length === 0) return new Map();
  const rows = await db.query<DocumentRow & { organizationId: string }>(sql`
    SELECT DISTINCT d.organization_id AS "organizationId", d.document_id AS "documentId",
           d.access_type AS "accessType", d.folder_id AS "folderId",
           ${commentAccessOf} AS "commentAccess"
    FROM unnest(${documents.map((place) => place.organizationId)}::text[],
                ${documents.map((place) => place.documentId)}::text[])
      AS named(organization_id, document_id)
    CROSS JOIN LATERAL (
      SELECT * FROM documents
      WHERE tenant_id = ${tenantId} AND organization_id = named.organization_id
        AND document_id = named.document_id OFFSET 0
    ) AS d
    JOIN api_keys k ON k.id = d.tenant_id
    JOIN organizations o ON o.tenant_id = d.tenant_id AND o.organization_id = d.organization_id
      AND NOT o.is_being_deleted`);
  const folders = rows.flatMap(({ organizationId, folderId }) =>
    folderId === null ? [] : { organizationId, folderId },
  );
  const chains = await loadFolderChainsAcross(db, tenantId, folders);
  const byOrganization = Map.groupBy(rows, (row) => row.organizationId);
  return new Map(
    [...byOrganization].map(([id, documentRows]) => [
      id,
      new Map(documentResources(documentRows, withoutDeleted(chains.get(id) ?? new Map()))),
    ]),
  );
}

/** Leaves out the chains of folders that a job is deleting, and of folders below these. */
const withoutDeleted = (chains: FolderChains): FolderChains =>
  new Map([...chains].filter(([, chain]) => chain.every((link) => !link.isBeingDeleted)));

interface DocumentRow {
  documentId: string;
  accessType: AccessType;
  commentAccess: CommentAccess;
  folderId: string | null;
}

/** SQL: who may comment on the document `d`: its own setting, or else that of its key `k`. */
const commentAccessOf = sql`COALESCE(d.comment_access, k.comment_access)`;

/** Loads the organization and its named documents. The organization is undefined if it is missing. */
async function loadDocuments(db: Queryable, query: ResourceQuery) {
  // A missing organization gives no row. One without any of these documents gives one row with nulls.
  const rows = await db.query<
    { isBeingDeleted: boolean } & (DocumentRow | Record<keyof DocumentRow, null>)
  >(sql`
    SELECT o.is_being_deleted AS "isBeingDeleted", d.document_id AS "documentId",
           d.access_type AS "accessType", d.folder_id AS "folderId",
           ${commentAccessOf} AS "commentAccess"
    FROM organizations o
    JOIN api_keys k ON k.id = o.tenant_id
    LEFT JOIN (${namedDocuments(query, query.documentIds)} d) ON true
    WHERE o.tenant_id = ${query.tenantId} AND o.organization_id = ${query.organizationId}`);
  const documents = rows.filter((row) => row.documentId !== null);
  return { organization: rows[0], documents };
}

function folderResources(
  chains: Map<string, ChainLink[]>,
): Array<[key: string, resource: Resource]> {
  return [...chains].map(([folderId, chain]) => {
    const path = foldersIn(chain);
    const accessType = effectiveType(chain);
    const typeFrom = typeSourceIn(chain);
    return [keyOf('folder', folderId), { accessType, typeFrom, path, keys: path.map(toKey) }];
  });
}

function documentResources(
  documents: DocumentRow[],
  chains: Map<string, ChainLink[]>,
): Array<[key: string, resource: Resource]> {
  return documents.flatMap(({ documentId, accessType: ownType, folderId, commentAccess }) => {
    const itself: ResourceRef = { type: 'document', id: documentId };
    const chain = folderId === null ? [] : chains.get(folderId);
    // The folder is being deleted with the document, or was deleted with it after the document had been read.
    if (!chain) return [];
    const isInFolder = folderId !== null;
    const path = [itself, ...foldersIn(chain)];
    const accessType = isInFolder ? effectiveType(chain) : ownType;
    const typeFrom = isInFolder ? typeSourceIn(chain) : itself;
    const keys = path.map(toKey);
    return [[toKey(itself), { accessType, typeFrom, path, keys, commentAccess }]];
  });
}

const foldersIn = (chain: ChainLink[]): ResourceRef[] =>
  chain.map(({ folderId }) => ({ type: 'folder', id: folderId }));

function typeSourceIn(chain: ChainLink[]): ResourceRef | undefined {
  const source = typeSource(chain);
  return source && { type: 'folder', id: source.folderId };
}

const toKey = ({ type, id }: ResourceRef) => keyOf(type, id);
