import { failed, mergeItems, outcomeMap, succeeded } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import { type ItemOutcome, metadataOf, requireSmallMetadata } from '../../../api/fields.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { retryOnViolation } from '../../../platform/database/lost-races.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import type { NewEvent } from '../../../platform/events/event-log.ts';
import type { ChainLink } from '../../access/folder-chains.ts';
import { loadTargetChain } from '../folders/target-folders.ts';
import { findOrCreateOrganization } from '../organizations/organizations.ts';
import { type DocumentRow, documentColumns, documentEvent } from './present.ts';
import { type AddDocumentsInput, DOCUMENT_FIELDS, type DocumentInput } from './schema.ts';

/** Adds documents to an organization, in a folder or outside of folders. */
export function addDocuments(
  ctx: KeyContext,
  input: AddDocumentsInput,
): Promise<Record<string, ItemOutcome>> {
  const { organizationId, folderId, createOrganization } = input;
  const batch = mergeItems(
    input.documents,
    (document) => document.documentId,
    (document) =>
      requireSmallMetadata(document.documentId, metadataOf(document, DOCUMENT_FIELDS), 'documents'),
  );
  return ctx.db.transaction(async (tx) => {
    const [, chains, added] = await pipeline([
      findOrCreateOrganization(ctx, tx, organizationId, createOrganization),
      loadTargetChain(tx, ctx.tenantId, organizationId, folderId ?? null),
      insertDocuments(ctx, tx, { organizationId, folderId, documents: batch }),
    ]);
    await ctx.events.append(
      tx,
      ctx.tenantId,
      added.values().map((row) => documentAdded(organizationId, row, chains)),
    );
    const addedIds = new Set(added.map((row) => row.documentId));
    return outcomeMap(
      batch.map(({ documentId }) =>
        addedIds.has(documentId)
          ? succeeded(documentId, 'Document added.')
          : failed(documentId, 'Document already exists.'),
      ),
    );
  });
}

/** @returns the documents that did not exist yet */
export async function insertDocuments(
  ctx: KeyContext,
  tx: Transaction,
  place: { organizationId: string; folderId: string | undefined; documents: DocumentInput[] },
): Promise<DocumentRow[]> {
  const rows = place.documents.map((document) => ({
    document_id: document.documentId,
    document_name: document.documentName ?? document.documentId,
    access_type: document.accessType ?? ctx.key.defaultDocumentAccessType ?? 'public',
    comment_access: document.commentAccess ?? null,
    disabled: document.disabled ?? false,
    metadata: metadataOf(document, DOCUMENT_FIELDS),
  }));
  // Inserting in the order of ids prevents deadlocks between batches with the same documents.
  const writing = tx.query<DocumentRow>(sql`
    INSERT INTO documents (tenant_id, organization_id, document_id, document_name, access_type,
      comment_access, disabled, folder_id, metadata)
    SELECT ${ctx.tenantId}, ${place.organizationId}, document_id, document_name, access_type,
           comment_access, disabled, ${place.folderId ?? null}::text, metadata
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS document(
      document_id text, document_name text, access_type text, comment_access text,
      disabled boolean, metadata jsonb)
    ORDER BY document_id
    ON CONFLICT DO NOTHING
    RETURNING ${documentColumns}`);
  return retryOnViolation(writing, [
    'documents_tenant_id_organization_id_fkey',
    'documents_tenant_id_organization_id_folder_id_fkey',
  ]);
}

export const documentAdded = (
  organizationId: string,
  row: DocumentRow,
  chains: Map<string, ChainLink[]> = new Map(),
): NewEvent => documentEvent('document.add', organizationId, { row, chains });
