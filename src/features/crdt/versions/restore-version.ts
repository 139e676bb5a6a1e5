import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { LiveDocumentName } from '../../../platform/live-documents.ts';
import { changeStored } from '../change-stored.ts';
import { readPast } from '../history/read-past.ts';
import { readLarge } from '../log/read-large.ts';
import type { RestoreVersionInput } from '../schema.ts';
import type { Past } from '../worker/jobs.ts';
import { runJob } from '../worker/run-job.ts';
import { editorFor, storeVersion } from './versions.ts';

/** The restores of an editor that can be undone by another one. */
const MAX_UNDOABLE = 10;

/**
 * Restores a version, or the content of a moment, by an ordinary change: later edits stay in the
 * history, and concurrent edits are merged. What was there becomes a version first.
 *
 * @throws NOT_FOUND; OUT_OF_RANGE for a moment that is not kept
 */
export async function restoreVersion(ctx: KeyContext, input: RestoreVersionInput): Promise<void> {
  const { versionId, at } = input;
  const name = await editorFor(ctx, input, 'editor');
  if (at !== undefined && at > ctx.clock.now()) {
    throw new AppError('OUT_OF_RANGE', 'at: lies in the future.');
  }
  let isKept = false;
  await changeStored(ctx, {
    name,
    make: async (stored) => {
      const past = await (at === undefined
        ? readVersion(ctx, name, versionId)
        : readPast(ctx.db, name, at));
      const change = await runJob(ctx.workerPool, { kind: 'restore', stored, past });
      if (change.parts.length > 0 && !isKept) {
        await storeVersion(ctx, stored, 'Before a restore', MAX_UNDOABLE);
      }
      isKept = true;
      return change;
    },
  });
}

async function readVersion(
  { db }: KeyContext,
  { tenantId, organizationId, documentId, editorId }: LiveDocumentName,
  versionId: string | undefined,
): Promise<Past> {
  const [version] = await readLarge(
    db,
    sql`
    SELECT v.version_id AS id, v.snapshot || '' AS bytes
    FROM crdt_versions v JOIN crdt_documents c USING (tenant_id, log_id)
    WHERE tenant_id = ${tenantId} AND v.version_id = ${versionId}
      AND c.organization_id = ${organizationId} AND c.document_id = ${documentId}
      AND c.editor_id = ${editorId}`,
  );
  if (!version) throw new AppError('NOT_FOUND', 'The version does not exist.');
  return { snapshot: version.bytes, rows: Buffer.alloc(0) };
}
