import { outcomesOf } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import type { ItemOutcome } from '../../api/fields.ts';
import { sql } from '../../platform/database/database.ts';
import { requireAccess } from '../access/require-access.ts';
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
  await requireAccess(ctx, { organizationId, documentId, role: 'editor' });
  const hasId = (ids: string[]) => sql`
    tenant_id = ${tenantId} AND organization_id = ${organizationId}
    AND document_id = ${documentId} AND recording_id = ANY(${ids})`;
  return ctx.db.transaction(async (tx) => {
    const { folderId } = await requireLockedDocument(tx, tenantId, input);
    // Locking in the order of ids prevents deadlocks.
    const locked = await tx.query<RecordingRow>(sql`
      SELECT ${recordingColumns} FROM recordings
      WHERE ${hasId(recordingIds)} ORDER BY recording_id FOR UPDATE`);
    const deletable = locked.filter((row) => userId === undefined || row.authorId === userId);
    const deletedIds = deletable.map((row) => row.recordingId);
    await tx.query(sql`DELETE FROM recordings WHERE ${hasId(deletedIds)}`);
    const contents = deletable.map(({ content }) => ({
      attachments: [{ attachmentId: content.attachmentId }],
    }));
    // This adds a statement to the end of the transaction.
    deleteNamedAttachments(ctx, tx, [{ organizationId, documentId, contents }]);
    const events = deletable
      .values()
      .map((row) => recordingEvent('recording.delete', tenantId, row, { folderId, userId }));
    await ctx.events.append(tx, tenantId, events);
    const lockedIds = new Set(locked.map((row) => row.recordingId));
    return outcomesOf(recordingIds, deletedIds, 'Recording deleted.', (id) =>
      lockedIds.has(id) ? 'Recording is not yours.' : 'Recording does not exist.',
    );
  });
}
