import { failed, outcomeMap, succeeded } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import type { ItemOutcome } from '../../../api/fields.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { retryOnViolation } from '../../../platform/database/lost-races.ts';
import { loadFolderChains } from '../../access/folder-chains.ts';
import { loadTargetChain } from '../folders/target-folders.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { lockDocuments } from './lock-documents.ts';
import { type DocumentRow, documentEvent } from './present.ts';
import type { MoveDocumentsInput } from './schema.ts';

/**
 * Moves documents into a folder or to the root. In a folder the access type of the folder applies;
 * at the root the document's own type applies again. An unknown document fails in its outcome.
 */
export function moveDocuments(
  ctx: KeyContext,
  { organizationId, documentIds, folderId }: MoveDocumentsInput,
): Promise<Record<string, ItemOutcome>> {
  const { tenantId } = ctx;
  return ctx.db.transaction(async (tx) => {
    await requireOrganization(tx, tenantId, organizationId);
    const target = await loadTargetChain(tx, tenantId, organizationId, folderId);
    const before = await lockDocuments(tx, tenantId, organizationId, documentIds);
    const moving = [...before.values()].filter((row) => row.folderId !== folderId);
    await saveFolder(ctx, tx, { organizationId, folderId, moving });
    const left = moving.flatMap((row) => row.folderId ?? []);
    const origins = await loadFolderChains(tx, tenantId, organizationId, left);
    const chains = new Map([...origins, ...target]);
    const events = moving.values().map((previous) => {
      const row = { ...previous, folderId };
      return documentEvent('document.move', organizationId, { row, chains, previous });
    });
    await ctx.events.append(tx, tenantId, events);
    const moved = new Set(moving.map((row) => row.documentId));
    return outcomeMap(documentIds.map((id) => outcomeOf(id, before, moved)));
  });
}

function outcomeOf(id: string, before: Map<string, DocumentRow>, moved: Set<string>): ItemOutcome {
  if (!before.has(id)) return failed(id, 'Document does not exist.');
  return succeeded(id, moved.has(id) ? 'Document moved.' : 'Document is there already.');
}

interface Move {
  organizationId: string;
  folderId: string | null;
  moving: DocumentRow[];
}

async function saveFolder(ctx: KeyContext, tx: Transaction, move: Move): Promise<void> {
  if (move.moving.length === 0) return;
  const writing = tx.query(sql`
    UPDATE documents SET folder_id = ${move.folderId}, updated_at = now()
    WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${move.organizationId}
      AND document_id = ANY(${move.moving.map((row) => row.documentId)})`);
  await retryOnViolation(writing, ['documents_tenant_id_organization_id_folder_id_fkey']);
}
