import type { KeyContext } from '../../../api/context.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import type { Dependents, Which } from '../../../platform/erasure/dependent-rows.ts';
import type { ChainLink } from '../../access/folder-chains.ts';
import { type DocumentRow, documentEvent } from '../documents/present.ts';
import { type FolderRow, folderEvent, presentFolder } from '../folders/folders.ts';
import { type OrganizationRow, organizationEvent } from '../organizations/organizations.ts';

export interface PlacedDocument extends DocumentRow {
  organizationId: string;
}

/** The context that a deletion needs, from a request or from a job for a tenant. */
export interface TenantWriter extends Pick<KeyContext, 'db' | 'events' | 'tenantId'> {
  dependents: Dependents;
}

/** The context of a request that deletes. */
export type DeletionContext = KeyContext & TenantWriter;

/**
 * Selects some documents or folders of an organization. The ids are a subquery, whose rows are
 * looked up by an index. Without statistics, PostgreSQL may compare an array of thousands of ids
 * with every row.
 */
export const idsIn =
  (organizationId: string, ids: string[]): Which =>
  (idColumn) =>
    sql`organization_id = ${organizationId} AND ${idColumn} IN (SELECT unnest(${ids}::text[]))`;

/** Selects everything in whole organizations. */
export const allIn =
  (organizationIds: string[]): Which =>
  () =>
    sql`organization_id = ANY(${organizationIds})`;

export interface Removal {
  /**
   * Selects exactly the given rows. It repeats them in SQL, since a set of pairs has no efficient
   * plan.
   */
  which: Which;
  /** The folder chains of an organization, for the access types in events. */
  chainsIn: (organizationId: string) => ReadonlyMap<string, readonly ChainLink[]>;
}

/**
 * Deletes documents with all dependent data, and publishes `document.delete`. The caller has locked
 * them FOR UPDATE, so that nothing can be added to them meanwhile.
 */
export async function removeDocuments(
  { events, tenantId, dependents }: Omit<TenantWriter, 'db'>,
  tx: Transaction,
  documents: PlacedDocument[],
  { which, chainsIn }: Removal,
): Promise<void> {
  if (documents.length === 0) return;
  for (const deletionOf of dependents.document) await tx.query(deletionOf(tenantId, which));
  await tx.query(sql`
    DELETE FROM documents WHERE tenant_id = ${tenantId} AND ${which(sql`document_id`)}`);
  const deletions = documents
    .values()
    .map(({ organizationId, ...row }) =>
      documentEvent('document.delete', organizationId, { row, chains: chainsIn(organizationId) }),
    );
  await events.append(tx, tenantId, deletions);
}

export interface PlacedFolder extends FolderRow {
  organizationId: string;
}

/**
 * Deletes folders with the grants on them, and publishes `folder.delete`. The caller has locked
 * them FOR UPDATE, removed their documents, and passes the folders below them too.
 */
export async function removeFolders(
  { events, tenantId, dependents }: Omit<TenantWriter, 'db'>,
  tx: Transaction,
  folders: PlacedFolder[],
  { which, chainsIn }: Removal,
): Promise<void> {
  if (folders.length === 0) return;
  for (const deletionOf of dependents.folder) await tx.query(deletionOf(tenantId, which));
  await tx.query(sql`
    DELETE FROM folders WHERE tenant_id = ${tenantId} AND ${which(sql`folder_id`)}`);
  const deletions = folders.values().map(({ organizationId, ...row }) => {
    const chain = chainsIn(organizationId).get(row.folderId) ?? [];
    return folderEvent('folder.delete', organizationId, presentFolder(row, chain));
  });
  await events.append(tx, tenantId, deletions);
}

/**
 * Deletes organizations and publishes `organization.delete`. The caller has locked them FOR UPDATE,
 * and removed their documents and folders.
 */
export async function removeOrganizations(
  { events, tenantId, dependents }: Omit<TenantWriter, 'db'>,
  tx: Transaction,
  organizations: OrganizationRow[],
): Promise<void> {
  if (organizations.length === 0) return;
  const ids = organizations.map((row) => row.organizationId);
  const which = allIn(ids);
  for (const deletionOf of dependents.organization) await tx.query(deletionOf(tenantId, which));
  await tx.query(sql`
    DELETE FROM organizations
    WHERE tenant_id = ${tenantId} AND organization_id = ANY(${ids})`);
  const deletions = organizations
    .values()
    .map((row) => organizationEvent('organization.delete', row));
  await events.append(tx, tenantId, deletions);
}
