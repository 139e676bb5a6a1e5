import type { KeyContext } from '../../api/context.ts';
import { pageOf, readPageToken, writePageToken } from '../../api/paging.ts';
import { mapInChunks } from '../../platform/chunks.ts';
import { empty, sql } from '../../platform/database/database.ts';
import { requireDocument } from '../access/require-access.ts';
import { presentRecording, type RecordingRow, recordingColumns } from './present-recording.ts';
import type { GetRecordingsInput } from './schema.ts';

/** Returns a page of a document's recordings, ordered by id. */
export async function getRecordings(ctx: KeyContext, input: GetRecordingsInput) {
  const { organizationId, documentId, recordingIds, pageSize, pageToken } = input;
  const filters = { organizationId, documentId, recordingIds };
  const query = { operation: 'recordings.get', tenantId: ctx.tenantId, filters };
  const [after] = readPageToken(ctx.secrets, query, pageToken) ?? [];
  await requireDocument(ctx, { organizationId, documentId }, 'viewer');
  const found = await selectRecordings(ctx, input, after);
  const { rows, nextPageToken } = pageOf(found, pageSize, (last) =>
    writePageToken(ctx.secrets, query, [last.recordingId]),
  );
  return { data: await mapInChunks(rows, (row) => presentRecording(ctx, row)), nextPageToken };
}

/** Reads one row more than the page, to know whether another page follows. */
function selectRecordings(ctx: KeyContext, input: GetRecordingsInput, after: string | undefined) {
  const { organizationId, documentId, recordingIds, pageSize } = input;
  const byIds = recordingIds?.length ? sql`AND recording_id = ANY(${recordingIds})` : empty;
  const fromPage = after === undefined ? empty : sql`AND recording_id > ${after}`;
  return ctx.db.query<RecordingRow>(sql`
    SELECT ${recordingColumns} FROM recordings
    WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId} ${byIds} ${fromPage}
    ORDER BY recording_id LIMIT ${pageSize + 1}`);
}
