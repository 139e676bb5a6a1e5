import { outcomesOf } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import type { ItemOutcome } from '../../api/fields.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { requireDocumentAccess } from '../access/require-access.ts';
import { deleteNamedAttachments } from '../attachments/named-attachments.ts';
import { requireLockedDocument } from '../directory/documents/lock-document.ts';
import { type RecordingRow, recordingColumns, recordingEvent } from './present-recording.ts';
import type { DeleteRecordingsInput } from './schema.ts';

/** Deletes recordings of a document with their files. Users may delete only their own. */
export async function deleteRecordings(
  ctx: KeyContext,
  input: DeleteRecordingsInput,
): Promise<Record<string, ItemOutcome>> {
  const { tenantId, userId } = ctx;
  const { organizationId, documentId, recordingIds } = input;
  await requireDocumentAccess(ctx, { organizationId, documentId, role: 'editor' });
  return ctx.db.transaction(async (tx) => {
    const { folderId } = await requireLockedDocument(tx, tenantId, input);
    const locked = await lockRecordings(tx, tenantId, input);
    const deleting = locked.filter((row) => userId === undefined || row.authorId === userId);
    await removeRecordings(tx, tenantId, input, deleting);
    const contents = deleting.map(({ content }) => ({
      attachments: [{ attachmentId: content.attachmentId }],
    }));
    deleteNamedAttachments(ctx, tx, [{ organizationId, documentId, contents }]);
    const events = deleting
      .values()
      .map((row) => recordingEvent('recording.delete', tenantId, row, { folderId, userId }));
    await ctx.events.append(tx, tenantId, events);
    const lockedIds = new Set(locked.map((row) => row.recordingId));
    const deletedIds = deleting.map((row) => row.recordingId);
    return outcomesOf(recordingIds, deletedIds, 'Recording deleted.', (id) =>
      lockedIds.has(id) ? 'Recording is not yours.' : 'Recording does not exist.',
    );
  });
}

/** Locking in the order of ids prevents deadlocks. */
const lockRecordings = (
  tx: Transaction,
  tenantId: string,
  { organizationId, documentId, recordingIds }: DeleteRecordingsInput,
): Promise<RecordingRow[]> =>
  tx.query<RecordingRow>(sql`
    SELECT ${recordingColumns} FROM recordings
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId} AND recording_id = ANY(${recordingIds})
    ORDER BY recording_id FOR UPDATE`);

async function removeRecordings(
  tx: Transaction,
  tenantId: string,
  { organizationId, documentId }: DeleteRecordingsInput,
  recordings: RecordingRow[],
): Promise<void> {
  await tx.query(sql`
    DELETE FROM recordings
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId}
      AND recording_id = ANY(${recordings.map((row) => row.recordingId)})`);
}
