import type { KeyContext } from '../../../api/context.ts';
import { type Sql, sql, type Transaction } from '../../../platform/database/database.ts';
import type { ChainLink } from '../../access/folder-chains.ts';
import { type DocumentRow, documentEvent } from './present.ts';

export interface PlacedDocument extends DocumentRow {
  organizationId: string;
}

/** The context that a deletion needs, from a request or from a job for a tenant. */
export type TenantWriter = Pick<KeyContext, 'db' | 'events' | 'tenantId'>;

/** SQL that selects the rows about deleted resources by their id in `idColumn`. */
export type Which = (idColumn: Sql) => Sql;

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
 * Statements that delete dependent rows without a cascading foreign key. (CRDT data has such a
 * key.)
 */
const DEPENDENTS: Array<(tenantId: string, which: Which) => Sql> = [
  (tenantId, which) => sql`
    DELETE FROM grants
    WHERE tenant_id = ${tenantId} AND resource_type = 'document' AND ${which(sql`resource_id`)}`,
  (tenantId, which) => sql`
    DELETE FROM notification_preferences
    WHERE tenant_id = ${tenantId} AND ${which(sql`document_id`)}`,
  (tenantId, which) => sql`
    WITH disconnected AS (
      DELETE FROM presence_connections
      WHERE tenant_id = ${tenantId} AND ${which(sql`document_id`)}
    )
    DELETE FROM presence WHERE tenant_id = ${tenantId} AND ${which(sql`document_id`)}`,
];

/**
 * Deletes documents with all dependent data, and publishes `document.delete`. The caller has locked
 * them FOR UPDATE, so that nothing can be added to them meanwhile.
 */
export async function removeDocuments(
  { events, tenantId }: Pick<TenantWriter, 'events' | 'tenantId'>,
  tx: Transaction,
  documents: PlacedDocument[],
  { which, chainsIn }: Removal,
): Promise<void> {
  if (documents.length === 0) return;
  for (const deletionOf of DEPENDENTS) await tx.query(deletionOf(tenantId, which));
  await tx.query(sql`
    DELETE FROM documents WHERE tenant_id = ${tenantId} AND ${which(sql`document_id`)}`);
  const deletions = documents
    .values()
    .map(({ organizationId, ...row }) =>
      documentEvent('document.delete', organizationId, { row, chains: chainsIn(organizationId) }),
    );
  await events.append(tx, tenantId, deletions);
}
