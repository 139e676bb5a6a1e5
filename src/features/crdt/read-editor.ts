import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import { loadStored, type StoredDocument } from './log/load-stored.ts';
import type { ResultOf, Task } from './worker/jobs.ts';
import { runJob } from './worker/run-job.ts';

/** Returns the ids of a document's editors that have content. Only `editorId` is looked for if it is given. */
export async function selectEditorIds(
  ctx: KeyContext,
  place: { organizationId: string; documentId: string; editorId?: string | undefined },
): Promise<string[]> {
  const { organizationId, documentId, editorId } = place;
  const rows = await ctx.db.query<{ editorId: string }>(sql`
    SELECT editor_id AS "editorId" FROM crdt_documents
    WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId}
      AND (${editorId ?? null}::text IS NULL OR editor_id = ${editorId ?? null})
    ORDER BY editor_id`);
  return rows.map((row) => row.editorId);
}

/** A task that only reads content. */
type ReadTask = Extract<Task, { kind: 'read' | 'anchorPassages' }>;

interface ReadContent<Result> {
  stored: StoredDocument;
  result: Result;
}

/**
 * Reads the stored content of an editor, once the edits that this process has received are stored. Content
 * in memory is not read: it may have edits that other processes have not stored, and that belong to no version.
 *
 * @returns undefined for an editor without content
 * @throws INVALID_ARGUMENT for content that cannot be read as requested
 */
export async function readEditor<Kind extends ReadTask['kind']>(
  ctx: KeyContext,
  name: LiveDocumentName,
  task: ReadTask & { kind: Kind },
): Promise<ReadContent<ResultOf<Kind>> | undefined> {
  await ctx.liveDocuments.settle(name);
  const stored = await loadStored(ctx.db, name);
  return stored && { stored, result: await runJob<Kind>(ctx.workerPool, { ...task, stored }) };
}
