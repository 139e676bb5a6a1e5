import type { Services } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import { type HistoryContext, historyInsertion } from './history/keep-history.ts';
import { loadStored } from './log/load-stored.ts';
import { runJob } from './worker/run-job.ts';

/**
 * Replaces the log of an editor with a snapshot, which leaves out deleted content. The snapshot is made
 * from stored content, not from memory: it covers all updates up to a version, and exactly these are
 * removed. Other processes may append meanwhile, because they lock the editor's row to assign a
 * version: no update up to a visible version can become visible later.
 *
 * @returns the size of the snapshot in bytes; undefined when the log was empty
 */
export function compactLog(
  ctx: HistoryContext & Pick<Services, 'db' | 'workerPool'>,
  name: LiveDocumentName,
): Promise<number | undefined> {
  return ctx.db.transaction(async (tx) => {
    const stored = await loadStored(tx, name);
    if (!stored || stored.updates.length === 0) return undefined;
    const snapshot = Buffer.from(await runJob(ctx.workerPool, { kind: 'snapshot', stored }));
    const { logId, version, snapshotVersion, updatedAt, updatedBy } = stored;
    // The snapshot is stored only if no other process has compacted the log since it was read.
    // `historyInsertion` writes the removed updates to the history.
    await tx.query(sql`
      WITH previous AS (
        SELECT tenant_id, log_id, snapshot, snapshot_version, updated_at FROM crdt_documents
        WHERE tenant_id = ${name.tenantId} AND log_id = ${logId}::uuid
      ), compacted AS (
        UPDATE crdt_documents
        SET snapshot = ${snapshot}, snapshot_version = ${version}::bigint,
            updated_at = ${updatedAt}, updated_by = ${updatedBy}
        WHERE tenant_id = ${name.tenantId} AND log_id = ${logId}::uuid
          AND snapshot_version = ${snapshotVersion}::bigint
        RETURNING tenant_id, log_id, snapshot_version
      ), removed AS (
        DELETE FROM crdt_updates u USING compacted c
        WHERE u.tenant_id = c.tenant_id AND u.log_id = c.log_id AND u.version <= c.snapshot_version
        RETURNING u.first_version, u.created_at, u.user_id, u.updates
      )
      ${historyInsertion(ctx, updatedAt)}`);
    return snapshot.length;
  });
}
