import type { KeyContext } from '../../api/context.ts';
import type { UserDataQuery, UserDataSource } from '../../api/user-data-source.ts';
import { sql } from '../../platform/database/database.ts';
import { filterOnDocuments } from '../access/on-document.ts';
import { presentRecording, type RecordingRow, recordingColumns } from './present-recording.ts';
import type { PresentedRecording } from './schema.ts';

type PlacedRow = RecordingRow & { position: string };

/** The recordings that a user made, oldest first (4.16). */
export const recordingsOfUser: UserDataSource<PresentedRecording> = {
  async read(ctx, query, after, limit) {
    const found = await selectByAuthor(ctx, query, after?.[0] ?? '0', limit + 1);
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1) : undefined;
    const visible = await visibleOf(ctx, query, rows);
    return {
      items: visible.map((row) => presentRecording(ctx, row)),
      next: last && [last.position],
    };
  },
};

const selectByAuthor = (
  ctx: KeyContext,
  { organizationId, userId }: UserDataQuery,
  after: string,
  limit: number,
): Promise<PlacedRow[]> =>
  ctx.db.query<PlacedRow>(sql`
    SELECT ${recordingColumns}, position FROM recordings
    WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
      AND author_id = ${userId} AND position > ${after}::bigint
    ORDER BY recordings.position LIMIT ${limit}`);

/** Authors see what they recorded as long as they may see the document. */
async function visibleOf(
  ctx: KeyContext,
  query: UserDataQuery,
  rows: PlacedRow[],
): Promise<PlacedRow[]> {
  if (ctx.userId === undefined) return rows;
  return filterOnDocuments(
    ctx,
    ctx.db,
    query,
    rows.map((row) => ({ ...row, access: null })),
  );
}
