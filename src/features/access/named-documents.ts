import { type Queryable, type Sql, sql } from '../../platform/database/database.ts';
import { namedRows } from '../../platform/database/named-rows.ts';
import { invalidArgument } from '../../platform/errors.ts';

interface OrganizationRef {
  tenantId: string;
  organizationId: string;
}

/** SQL: the documents of an organization with these ids; see `namedRows`. */
export const namedDocuments = (
  { tenantId, organizationId }: OrganizationRef,
  documentIds: readonly string[],
  lock?: Sql,
): Sql =>
  namedRows({
    table: sql`documents`,
    where: sql`tenant_id = ${tenantId} AND organization_id = ${organizationId}`,
    idColumn: sql`document_id`,
    ids: documentIds,
    lock,
  });

/**
 * Requires that documents exist, so that an API key gets the unknown ids instead of an empty result.
 * Runs one statement, or none if no documents are named.
 *
 * @throws INVALID_ARGUMENT (document_not_found), with `details.unknownDocumentIds`
 */
export async function requireDocuments(
  db: Queryable,
  organization: OrganizationRef,
  documentIds: string[],
): Promise<void> {
  if (documentIds.length === 0) return;
  const found = await db.query<{ documentId: string }>(sql`
    SELECT document_id AS "documentId" FROM ${namedDocuments(organization, documentIds)} d`);
  const known = new Set(found.map(({ documentId }) => documentId));
  const unknownDocumentIds = documentIds.filter((documentId) => !known.has(documentId));
  if (unknownDocumentIds.length === 0) return;
  const [first] = unknownDocumentIds;
  throw invalidArgument(`The document ${first} does not exist. Add it first: documents.add.`, {
    reason: 'document_not_found',
    details: { unknownDocumentIds },
  });
}
