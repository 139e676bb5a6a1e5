import { isDeepStrictEqual } from 'node:util';
import { failed, mergeItems, outcomeMap, succeeded } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import { type ItemOutcome, metadataOf, metadataProblem } from '../../../api/fields.ts';
import { listToJson, mapInChunks } from '../../../platform/chunks.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { loadFolderChains } from '../../access/folder-chains.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { lockDocuments } from './lock-documents.ts';
import { type DocumentRow, documentEvent } from './present.ts';
import { DOCUMENT_FIELDS, type DocumentInput, type UpdateDocumentsInput } from './schema.ts';

/**
 * Updates the given fields of documents and merges their metadata. An unknown document fails in its
 * outcome.
 */
export function updateDocuments(
  ctx: KeyContext,
  { organizationId, documents }: UpdateDocumentsInput,
): Promise<Record<string, ItemOutcome>> {
  const batch = mergeItems(documents, (document) => document.documentId);
  return ctx.db.transaction(async (tx) => {
    await requireOrganization(tx, ctx.tenantId, organizationId);
    const ids = batch.map((document) => document.documentId);
    const before = await lockDocuments(tx, ctx.tenantId, organizationId, ids);
    const changed: DocumentRow[] = [];
    const outcomes = await mapInChunks(batch, (given) => {
      const old = before.get(given.documentId);
      const row = old && merge(old, given);
      const outcome = applyUpdates(given, row);
      if (row && outcome.success && !isDeepStrictEqual(row, old)) changed.push(row);
      return outcome;
    });
    await saveDocuments(ctx, tx, organizationId, changed);
    await publishUpdates(ctx, tx, organizationId, changed, before);
    return outcomeMap(outcomes);
  });
}

const merge = (old: DocumentRow, given: DocumentInput): DocumentRow => ({
  ...old,
  documentName: given.documentName ?? old.documentName,
  disabled: given.disabled ?? old.disabled,
  accessType: given.accessType ?? old.accessType,
  commentAccess: given.commentAccess === undefined ? old.commentAccess : given.commentAccess,
  metadata: { ...old.metadata, ...metadataOf(given, DOCUMENT_FIELDS) },
});

function applyUpdates(given: DocumentInput, row: DocumentRow | undefined): ItemOutcome {
  const { documentId } = given;
  if (!row) return failed(documentId, 'Document does not exist.');
  const problem = metadataProblem(row.metadata);
  if (problem) return failed(documentId, `The metadata ${problem}.`);
  const isInert = given.accessType !== undefined && row.folderId !== null;
  return succeeded(documentId, isInert ? UPDATED_IN_FOLDER : 'Document updated.');
}

const UPDATED_IN_FOLDER =
  'Document updated. While it stands in a folder, the access type of the folder counts.';

async function saveDocuments(
  ctx: KeyContext,
  tx: Transaction,
  organizationId: string,
  rows: DocumentRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(sql`
    UPDATE documents SET document_name = given."documentName", disabled = given.disabled,
      access_type = given."accessType", comment_access = given."commentAccess", metadata = given.metadata, updated_at = now()
    FROM jsonb_to_recordset(${await listToJson(rows)}::jsonb) AS given("documentId" text,
      "documentName" text, disabled boolean, "accessType" text, "commentAccess" text, metadata jsonb)
    WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
      AND document_id = ANY(${rows.map((row) => row.documentId)})
      AND document_id = given."documentId"`);
}

async function publishUpdates(
  ctx: KeyContext,
  tx: Transaction,
  organizationId: string,
  rows: DocumentRow[],
  before: Map<string, DocumentRow>,
): Promise<void> {
  const folderIds = rows.flatMap((row) => row.folderId ?? []);
  const chains = await loadFolderChains(tx, ctx.tenantId, organizationId, folderIds);
  const events = rows.values().map((row) => {
    const previous = before.get(row.documentId);
    return documentEvent('document.update', organizationId, { row, chains, previous });
  });
  await ctx.events.append(tx, ctx.tenantId, events);
}
