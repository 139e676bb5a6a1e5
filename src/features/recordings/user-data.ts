import { rowSource } from '../../api/user-data-source.ts';
import { sql } from '../../platform/database/database.ts';
import { filterVisibleItems } from '../access/on-document.ts';
import { presentRecording, type RecordingRow, recordingColumns } from './present-recording.ts';
import type { PresentedRecording } from './schema.ts';

type PlacedRow = RecordingRow & { position: string };

/**
 * The recordings that a user made, oldest first (specification 4.16). Authors see their recordings
 * for as long as they may see the document.
 */
export const recordingsOfUser = rowSource<PlacedRow, PresentedRecording>({
  select: ({ db, tenantId }, { organizationId, userId }, [after = '0'] = [], limit) =>
    db.query<PlacedRow>(sql`
      SELECT ${recordingColumns}, position FROM recordings
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND author_id = ${userId} AND position > ${after}::bigint
      ORDER BY recordings.position LIMIT ${limit}`),
  positionOf: ({ position }) => [position],
  filterVisible: (ctx, query, rows) => filterVisibleItems(ctx, ctx.db, query, rows),
  present: presentRecording,
});
