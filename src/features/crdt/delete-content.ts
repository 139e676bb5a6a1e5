import type { KeyContext } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import type { NewEvent } from '../../platform/events/event-log.ts';
import { requireDocument } from '../access/require-access.ts';
import { noCrdtData } from './change-stored.ts';
import { loadAllStored, type StoredDocument } from './log/load-stored.ts';
import { selectEditorIds } from './read-editor.ts';
import type { DeleteCrdtInput } from './schema.ts';
import { updateEvent } from './update-event.ts';
import { runJob } from './worker/run-job.ts';

/**
 * Deletes the content of one or all editors of a document, with its log and versions. Connected users
 * are disconnected on every process and cannot restore the content: a tombstone lists the Yjs clients
 * that wrote it, and their edits are refused from then on (check-edits.ts).
 */
export async function deleteContent(ctx: KeyContext, input: DeleteCrdtInput): Promise<void> {
  const { organizationId, documentId, editorId } = input;
  const { tenantId } = ctx;
  const place = { organizationId, documentId };
  if (ctx.userId !== undefined) await requireDocument(ctx, place, 'editor');
  const editorIds = await selectEditorIds(ctx, input);
  if (editorIds.length === 0) {
    // Only existing documents have content. So with an API key, the document is checked only if there is none.
    if (ctx.userId === undefined) await requireDocument(ctx, place, 'editor');
    if (editorId !== undefined) throw noCrdtData();
    return;
  }
  // Pending edits are stored first, so that they are deleted and covered by the tombstone.
  for (const each of editorIds) {
    await ctx.liveDocuments.settle({ tenantId, ...place, editorId: each });
  }
  await ctx.db.transaction(async (tx) => {
    const deleted = await deleteEditors(tx, ctx, input, editorIds);
    await writeTombstones(tx, ctx, input, deleted);
    await ctx.events.append(
      tx,
      tenantId,
      deleted.map((row) => deletionEvent(ctx, input, row)),
    );
  });
}

/** Deletes editors, and returns their last content. A lock prevents updates in between. */
async function deleteEditors(
  tx: Transaction,
  { tenantId }: KeyContext,
  { organizationId, documentId }: DeleteCrdtInput,
  editorIds: readonly string[],
): Promise<StoredDocument[]> {
  await tx.query(sql`
    SELECT FROM crdt_documents
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId} AND editor_id = ANY(${editorIds}::text[])
    ORDER BY editor_id FOR UPDATE`);
  const stored = await loadAllStored(tx, { tenantId, organizationId, documentId }, editorIds);
  await tx.query(sql`
    DELETE FROM crdt_documents
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId} AND editor_id = ANY(${editorIds}::text[])`);
  return stored;
}

async function writeTombstones(
  tx: Transaction,
  { tenantId, clock, workerPool }: KeyContext,
  { organizationId, documentId }: DeleteCrdtInput,
  deleted: readonly StoredDocument[],
): Promise<void> {
  // `unnest` would flatten an array of arrays, so the clients of each editor are passed as text.
  const rows: { editorId: string; clients: string }[] = [];
  for (const stored of deleted) {
    const clients = await runJob(workerPool, { kind: 'clients', stored });
    rows.push({ editorId: stored.editorId, clients: clients.join() });
  }
  await tx.query(sql`
    INSERT INTO crdt_tombstones (tenant_id, organization_id, document_id, editor_id, clients, deleted_at)
    SELECT ${tenantId}, ${organizationId}, ${documentId}, editor_id,
           string_to_array(clients, ',')::bigint[], ${new Date(clock.now())}
    FROM unnest(${rows.map((row) => row.editorId)}::text[], ${rows.map((row) => row.clients)}::text[])
           AS row(editor_id, clients)
    ON CONFLICT (tenant_id, organization_id, document_id, editor_id) DO UPDATE
    SET clients = crdt_tombstones.clients || excluded.clients, deleted_at = excluded.deleted_at`);
}

function deletionEvent(
  { tenantId, userId, clock }: KeyContext,
  { organizationId, documentId }: DeleteCrdtInput,
  { editorId, version, folderId, contentType }: StoredDocument,
): NewEvent {
  const name = { tenantId, organizationId, documentId, editorId };
  const updatedAt = new Date(clock.now());
  const deletion = { folderId, version: Number(version), updatedAt, updatedBy: userId ?? null };
  return updateEvent(name, deletion, { type: contentType ?? 'text', json: 'null' });
}
