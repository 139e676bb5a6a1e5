import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import type { DeclaredContent, LiveDocumentName } from '../../platform/live-documents.ts';
import { loadStored } from './log/load-stored.ts';
import {
  newestUpdate,
  newestVersion,
  storedBytes,
  updatedAt,
  updatedBy,
} from './log/newest-update.ts';
import { performTask, type ResultOf, type Task } from './worker/jobs.ts';
import { isLarge, runJob, translateMismatch } from './worker/run-job.ts';

/** An editor's row, without its content. */
interface EditorRow extends DeclaredContent {
  editorId: string;
  logId: string;
  version: string;
  /** The stored size of the content with its log. */
  bytes: number;
  updatedAt: Date;
  updatedBy: string | null;
}

/** Reads the row of one editor of a document, or the rows of all in the order of their ids. */
export function selectEditors(
  ctx: KeyContext,
  place: { organizationId: string; documentId: string; editorId?: string | undefined },
): Promise<EditorRow[]> {
  const { organizationId, documentId, editorId } = place;
  return ctx.db.query<EditorRow>(sql`
    SELECT editor_id AS "editorId", log_id AS "logId", ${newestVersion}::text AS version, ${updatedAt} AS "updatedAt",
           ${updatedBy} AS "updatedBy", content_key AS "contentKey", content_type AS "contentType",
           ${storedBytes} AS bytes
    FROM crdt_documents c ${newestUpdate}
    WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId}
      AND (${editorId ?? null}::text IS NULL OR editor_id = ${editorId ?? null})
    ORDER BY editor_id`);
}

/** A task that only reads content. */
type ReadTask = Extract<Task, { kind: 'read' | 'anchorPassages' }>;

/**
 * Reads the content of an editor, including edits that are not stored yet.
 *
 * @throws INVALID_ARGUMENT for content that cannot be read as requested
 */
export async function readEditor<Kind extends ReadTask['kind']>(
  ctx: KeyContext,
  name: LiveDocumentName,
  row: EditorRow,
  task: ReadTask & { kind: Kind },
): Promise<ResultOf<Kind>> {
  const { logId, version, contentType, bytes } = row;
  if (isLarge(contentType, bytes)) {
    // A worker thread reads large content from the database, so pending edits are stored first.
    await ctx.liveDocuments.settle(name);
    const stored = await loadStored(ctx.db, name);
    if (stored) return runJob<Kind>(ctx.workerPool, { ...task, stored });
  }
  return ctx.liveDocuments.read(name, { logId, version: Number(version) }, (doc) =>
    translateMismatch(() => performTask<Kind>(doc, row, task)),
  );
}
