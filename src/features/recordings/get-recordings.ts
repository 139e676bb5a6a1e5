import type { KeyContext } from '../../api/context.ts';
import { readPage, rowsAmong } from '../../api/paging.ts';
import { mapInChunks } from '../../platform/chunks.ts';
import { sql } from '../../platform/database/database.ts';
import { requireDocument } from '../access/require-access.ts';
import { presentRecording, type RecordingRow, recordingColumns } from './present-recording.ts';
import type { GetRecordingsInput } from './schema.ts';

/** Returns a page of a document's recordings, ordered by id. */
export async function getRecordings(ctx: KeyContext, input: GetRecordingsInput) {
  const { organizationId, documentId, recordingIds, pageSize, pageToken } = input;
  const filters = { organizationId, documentId, recordingIds };
  const query = { operation: 'recordings.get', filters, pageSize, pageToken };
  const id = sql`recording_id`;
  const table = sql`recordings`;
  const where = sql`tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
    AND document_id = ${documentId}`;
  const { rows, nextPageToken } = await readPage(ctx, query, [id, idOf], async (endOfQuery) => {
    await requireDocument(ctx, { organizationId, documentId }, 'viewer');
    return ctx.db.query<RecordingRow>(sql`
      SELECT ${recordingColumns} FROM ${rowsAmong({ table, where, idColumn: id }, recordingIds)} r
      WHERE true ${endOfQuery}`);
  });
  return { data: await mapInChunks(rows, (row) => presentRecording(ctx, row)), nextPageToken };
}

const idOf = ({ recordingId }: RecordingRow) => recordingId;
