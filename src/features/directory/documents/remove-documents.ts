import type { KeyContext } from '../../../api/context.ts';
import { type Sql, sql, type Transaction } from '../../../platform/database/database.ts';
import type { ChainLink } from '../../access/folder-chains.ts';
import { type DocumentRow, documentEvent } from './present.ts';

export interface PlacedDocument extends DocumentRow {
  organizationId: string;
}

/** What deleting needs of a context: a request's, or one that a job makes for a tenant. */
export type TenantWriter = Pick<KeyContext, 'db' | 'events' | 'tenantId'>;

/** SQL: which rows are about what is deleted. `idColumn` is the column that holds its id. */
export type Which = (idColumn: Sql) => Sql;

/**
 * Some documents, or folders, of an organization. As a subquery, whose rows are looked up: an array of
 * thousands may be compared with every row there is, where PostgreSQL has no statistics yet.
 */
export const only =
  (organizationId: string, ids: string[]): Which =>
  (idColumn) =>
    sql`organization_id = ${organizationId} AND ${idColumn} IN (SELECT unnest(${ids}::text[]))`;

/** Everything in organizations that go as a whole. */
export const everythingIn =
  (organizationIds: string[]): Which =>
  () =>
    sql`organization_id = ANY(${organizationIds})`;

export interface Removal {
  /** Exactly the rows that are handed over; said twice, since a set of pairs has no good plan. */
  which: Which;
  /** The folder chains of an organization, for the access types that the events show. */
  chainsIn: (organizationId: string) => ReadonlyMap<string, readonly ChainLink[]>;
}

/**
 * What hangs on documents without a foreign key that would take it along: one line a table. (CRDT
 * data has such a key.)
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
 * Deletes documents with everything on them and publishes `document.delete`. The caller has locked
 * them FOR UPDATE, so that nothing is added to them meanwhile.
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
