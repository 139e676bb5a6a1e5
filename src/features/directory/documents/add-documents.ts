import type { KeyContext } from '../../../api/context.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import type { ChainLink } from '../../access/folder-chains.ts';
import type { DocumentRef } from '../../access/places.ts';
import { loadTargetChain } from '../folders/folders.ts';
import { findOrCreateOrganization } from '../organizations/organizations.ts';
import { DOCUMENTS, type DocumentRow, documentEvent } from './documents.ts';
import type { AddDocumentsInput, DocumentInput } from './schema.ts';

export function addDocuments(
  ctx: KeyContext,
  { organizationId, folderId, createOrganization, documents }: AddDocumentsInput,
) {
  const batch = DOCUMENTS.mergeBatch(documents);
  return ctx.db.transaction(async (tx) => {
    const [, chains, added] = await pipeline([
      findOrCreateOrganization(ctx, tx, organizationId, createOrganization),
      loadTargetChain(tx, ctx.tenantId, organizationId, folderId ?? null),
      insertDocuments(ctx, tx, { organizationId, folderId, documents: batch }),
    ]);
    await publishAdditions(ctx, tx, added, chains);
    return DOCUMENTS.additionOutcomes(batch, added);
  });
}

/** Adds a document outside folders, unless it already exists. */
export async function addMissingDocument(
  ctx: KeyContext,
  tx: Transaction,
  { organizationId, documentId }: DocumentRef,
): Promise<void> {
  const added = await insertDocuments(ctx, tx, { organizationId, documents: [{ documentId }] });
  await publishAdditions(ctx, tx, added);
}

/** @returns the documents that did not exist yet */
async function insertDocuments(
  { tenantId, key }: KeyContext,
  tx: Transaction,
  input: { organizationId: string; folderId?: string | undefined; documents: DocumentInput[] },
): Promise<DocumentRow[]> {
  const { organizationId, folderId, documents } = input;
  const rows = documents.map((document) => ({
    organizationId,
    folderId,
    documentId: document.documentId,
    documentName: document.documentName ?? document.documentId,
    accessType: document.accessType ?? key.defaultDocumentAccessType ?? 'public',
    commentAccess: document.commentAccess,
    disabled: document.disabled ?? false,
    metadata: DOCUMENTS.metadataOf(document),
  }));
  return DOCUMENTS.insert(tx, tenantId, rows);
}

const publishAdditions = (
  { events, tenantId }: KeyContext,
  tx: Transaction,
  added: DocumentRow[],
  chains: Map<string, ChainLink[]> = new Map(),
) =>
  events.append(
    tx,
    tenantId,
    added.values().map((row) => documentEvent('document.add', row, chains)),
  );
