import { lastOfEach, outcomesOf } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import type { ItemOutcome } from '../../api/fields.ts';
import { timeOf } from '../../api/imported-times.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { ensureMembershipOfNamed } from '../access/ensure-membership.ts';
import { requireAccess } from '../access/require-access.ts';
import { requireLockedDocument } from '../directory/documents/lock-document.ts';
import { loadUser } from '../users/known-people.ts';
import { type RecordingRow, recordingColumns, recordingEvent } from './present-recording.ts';
import type { AddRecordingsInput, RecordingInput } from './schema.ts';

/** Adds recordings to a document. For a recording whose id already exists, the outcome is a failure. */
export async function addRecordings(
  ctx: KeyContext,
  input: AddRecordingsInput,
): Promise<Record<string, ItemOutcome>> {
  const { organizationId, documentId } = input;
  await requireAccess(ctx, { organizationId, documentId, role: 'editor' });
  // With a user token the author is the stored user, whatever the input contains.
  const { userId } = ctx;
  const author = userId === undefined ? undefined : await loadUser(ctx.db, ctx.tenantId, userId);
  const rows = lastOfEach(
    input.recordings.map((recording, index) => rowOf(ctx, input, recording, { author, index })),
    idOf,
  );
  return ctx.db.transaction(async (tx) => {
    const authors = rows.map((row) => row.content.from);
    const [{ folderId }, , added] = await pipeline([
      requireLockedDocument(tx, ctx.tenantId, input),
      ensureMembershipOfNamed(ctx, tx, organizationId, authors),
      insertRecordings(tx, ctx.tenantId, rows),
    ]);
    const toEvent = (row: RecordingRow) =>
      recordingEvent('recording.add', ctx.tenantId, row, { folderId, userId: row.authorId });
    await ctx.events.append(tx, ctx.tenantId, added.values().map(toEvent));
    const addedIds = added.map(idOf);
    return outcomesOf(rows.map(idOf), addedIds, 'Recording added.', 'Recording already exists.');
  });
}

const idOf = ({ recordingId }: RecordingRow) => recordingId;

/** @throws INVALID_ARGUMENT when no author is named */
function rowOf(
  ctx: KeyContext,
  { organizationId, documentId }: AddRecordingsInput,
  { recordingId, from: givenAuthor, createdAt, ...content }: RecordingInput,
  { author, index }: { author: RecordingInput['from']; index: number },
): RecordingRow {
  const from = author ?? givenAuthor;
  const path = `recordings[${index}]`;
  if (!from) throw invalidField(`${path}.from`, 'is required with an API key');
  return {
    organizationId,
    documentId,
    recordingId: recordingId ?? newId(),
    authorId: from.userId,
    createdMs: String(timeOf(ctx, createdAt, { now: ctx.clock.now(), path: `${path}.createdAt` })),
    // With a user token, the agent is the one in the token, if there is one.
    content: { ...content, ...(ctx.userId !== undefined && { agent: ctx.agent }), from },
  };
}

/** Inserts in the order of ids, which prevents deadlocks. Returns the recordings that did not exist yet. */
async function insertRecordings(
  tx: Transaction,
  tenantId: string,
  recordings: RecordingRow[],
): Promise<RecordingRow[]> {
  return tx.query<RecordingRow>(sql`
    INSERT INTO recordings (tenant_id, organization_id, document_id, recording_id, author_id,
      created_ms, content)
    SELECT ${tenantId}, "organizationId", "documentId", "recordingId", "authorId", "createdMs",
           content
    FROM jsonb_to_recordset(${JSON.stringify(recordings)}::jsonb) AS recording(
      "organizationId" text, "documentId" text, "recordingId" text, "authorId" text,
      "createdMs" bigint, content jsonb)
    ORDER BY "recordingId"
    ON CONFLICT DO NOTHING
    RETURNING ${recordingColumns}`);
}
