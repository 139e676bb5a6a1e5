import type { KeyContext } from '../../../api/context.ts';
import { empty, type Sql, sql, type Transaction } from '../../../platform/database/database.ts';
import type { Dependents } from '../../../platform/erasure/dependent-rows.ts';
import type { NewEvent } from '../../../platform/events/event-log.ts';
import { loadFolderChainsAcross } from '../../access/folder-chains.ts';
import { DOCUMENTS, type DocumentRow, documentEvent } from '../documents/documents.ts';
import { FOLDERS, type FolderRow, folderEvent, withSubtree } from '../folders/folders.ts';
import {
  ORGANIZATIONS,
  type OrganizationRow,
  organizationEvent,
} from '../organizations/organizations.ts';

export interface DeletionContext extends KeyContext {
  dependents: Dependents;
}

/** The scope of a deletion: whole organizations, or folders of one organization with everything below them. */
interface Scope {
  organizationIds: string[];
  folderIds?: string[] | undefined;
}

/** The rows to delete, which are locked FOR UPDATE, so that nothing can be added to them. */
interface LockedRows {
  documents?: DocumentRow[];
  /** Folders that contain nothing but folders and documents of this deletion. */
  folders?: FolderRow[];
  /** Organizations that contain nothing but folders and documents of this deletion. */
  organizations?: OrganizationRow[];
  /** Whether these are all documents and all folders of the organizations in the scope. */
  areAll?: boolean;
}

const isInOrganizations = ({ organizationIds }: Scope, column = sql`organization_id`): Sql => {
  const [only, ...others] = organizationIds;
  return others.length === 0 ? sql`${column} = ${only}` : sql`${column} = ANY(${organizationIds})`;
};

/** Deletes rows with all dependent data, and publishes their events. */
export async function deleteLockedRows(
  { tenantId, events, dependents }: Pick<DeletionContext, 'tenantId' | 'events' | 'dependents'>,
  tx: Transaction,
  scope: Scope,
  { documents = [], folders = [], organizations = [], areAll = false }: LockedRows,
): Promise<void> {
  const parents = [...documents, ...folders].flatMap(({ organizationId, folderId }) =>
    folderId === null ? [] : { organizationId, folderId },
  );
  const chains = await loadFolderChainsAcross(tx, tenantId, parents);
  const deleteRows = async (
    kind: 'document' | 'folder' | 'organization',
    { table, idColumn }: { table: Sql; idColumn: Sql },
    ids: string[],
  ) => {
    if (ids.length === 0) return;
    // The ids are a subquery, so that PostgreSQL looks up the rows by an index. With an array instead, and without
    // statistics, it may compare every row with thousands of ids.
    const isDeleted = (column: Sql) =>
      areAll || kind === 'organization'
        ? isInOrganizations(scope)
        : sql`${isInOrganizations(scope)} AND ${column} IN (SELECT unnest(${ids}::text[]))`;
    for (const dependentRows of dependents[kind]) {
      await tx.query(dependentRows(tenantId, isDeleted));
    }
    await tx.query(
      sql`DELETE FROM ${table} WHERE tenant_id = ${tenantId} AND ${isDeleted(idColumn)}`,
    );
  };
  await deleteRows('document', DOCUMENTS, documents.map(DOCUMENTS.idOf));
  await deleteRows('folder', FOLDERS, folders.map(FOLDERS.idOf));
  await deleteRows('organization', ORGANIZATIONS, organizations.map(ORGANIZATIONS.idOf));
  const chainsIn = (organizationId: string) => chains.get(organizationId) ?? new Map();
  function* deletionEvents(): Generator<NewEvent> {
    for (const row of documents) {
      yield documentEvent('document.delete', row, chainsIn(row.organizationId));
    }
    for (const row of folders) {
      yield folderEvent('folder.delete', row, chainsIn(row.organizationId));
    }
    for (const row of organizations) yield organizationEvent('organization.delete', row);
  }
  await events.append(tx, tenantId, deletionEvents());
}

/**
 * Locks the documents and folders in a scope. With a limit, each call returns only some of the documents. The
 * call that returns the last ones also returns folders without subfolders.
 *
 * @param limit the most rows of each kind, in one organization
 * @returns the rows to delete; `isMore`: whether the scope may have further documents
 */
export async function lockContent(tx: Transaction, tenantId: string, scope: Scope, limit?: number) {
  // The folders are locked first, so that nothing can be added to them while the documents are read.
  const folders = await lockFolders(tx, tenantId, scope, limit);
  const inScope = scope.folderIds ? sql`AND folder_id = ANY(${folders.map(FOLDERS.idOf)})` : empty;
  // The documents are chosen in any order, which is fast. The second statement skips those that have been moved since.
  const chosen =
    limit === undefined
      ? undefined
      : await tx.query<{ documentId: string }>(sql`
      SELECT document_id AS "documentId" FROM documents
      WHERE tenant_id = ${tenantId} AND ${isInOrganizations(scope)} ${inScope} LIMIT ${limit}`);
  const isChosen = chosen
    ? sql`AND document_id IN (SELECT unnest(${chosen.map((row) => row.documentId)}::text[]))`
    : empty;
  const documents = await tx.query<DocumentRow>(sql`
    SELECT ${DOCUMENTS.columns} FROM documents
    WHERE tenant_id = ${tenantId} AND ${isInOrganizations(scope)} ${isChosen} ${inScope}
    ORDER BY organization_id, document_id FOR UPDATE`);
  const isMore = chosen !== undefined && chosen.length === limit;
  const areAll = limit === undefined && scope.folderIds === undefined;
  return { documents, folders: isMore ? [] : folders, areAll, isMore };
}

/**
 * Locks all folders of a scope; with a limit, only some folders without subfolders. OFFSET 0 makes PostgreSQL
 * look up the subfolders of each folder by the index, and stop after enough folders. ARRAY makes it use
 * indexes even if it underestimates the size of an organization.
 */
function lockFolders(tx: Transaction, tenantId: string, scope: Scope, limit: number | undefined) {
  const place = sql`tenant_id = ${tenantId} AND ${isInOrganizations(scope)}`;
  const inScope = scope.folderIds
    ? sql`AND folder_id = ANY(
        ARRAY(${withSubtree(place, scope.folderIds)} SELECT folder_id FROM subtree))`
    : empty;
  const allOrLeaves =
    limit === undefined
      ? sql`ORDER BY organization_id, folder_id`
      : sql`
        AND NOT EXISTS (
          SELECT 1 FROM folders below
          WHERE below.tenant_id = ${tenantId} AND ${isInOrganizations(scope, sql`below.organization_id`)}
            AND below.parent_folder_id = leaf.folder_id
          OFFSET 0)
        ORDER BY folder_id LIMIT ${limit}`;
  return tx.query<FolderRow>(sql`
    SELECT ${FOLDERS.columns} FROM folders leaf
    WHERE ${place} ${inScope} ${allOrLeaves}
    FOR UPDATE OF leaf`);
}
