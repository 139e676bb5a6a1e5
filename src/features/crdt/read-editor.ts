import type { Doc } from 'yjs';
import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import { loadStored, type StoredDocument } from './log/load-stored.ts';
import { newestUpdate, newestVersion, updatedAt, updatedBy } from './log/newest-update.ts';
import type { Declared } from './present-editor.ts';
import { isLarge, refuseMismatch } from './worker/run-job.ts';

/** An editor's row, without its content. */
export interface EditorRow extends Declared {
  editorId: string;
  logId: string;
  version: string;
  /** The stored size of the content with its history. */
  bytes: number;
  updatedAt: Date;
  updatedBy: string | null;
}

/** Reads one editor of a document, or all of them in the order of their ids. */
export function selectEditors(
  ctx: KeyContext,
  {
    organizationId,
    documentId,
    editorId,
  }: { organizationId: string; documentId: string; editorId?: string | undefined },
): Promise<EditorRow[]> {
  return ctx.db.query<EditorRow>(sql`
    SELECT editor_id AS "editorId", log_id AS "logId", ${newestVersion}::text AS version, ${updatedAt} AS "updatedAt",
           ${updatedBy} AS "updatedBy", content_key AS "contentKey", content_type AS "contentType",
           (coalesce(octet_length(snapshot), 0) + coalesce((
             SELECT sum(octet_length(u.updates)) FROM crdt_updates u
             WHERE u.tenant_id = c.tenant_id AND u.log_id = c.log_id
               AND u.version > c.snapshot_version), 0))::int AS bytes
    FROM crdt_documents c ${newestUpdate}
    WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId}
      AND (${editorId ?? null}::text IS NULL OR editor_id = ${editorId ?? null})
    ORDER BY editor_id`);
}

/** A way to read content: at once, or of large content by a job. */
interface Reading<Result> {
  inThread(doc: Doc): Result;
  inWorker(stored: StoredDocument): Promise<Result>;
}

/**
 * Reads the content of an editor, including edits that are not stored yet.
 *
 * @throws INVALID_ARGUMENT for content that cannot be read as requested
 */
export async function readEditor<Result>(
  ctx: KeyContext,
  name: LiveDocumentName,
  { logId, version, contentType, bytes }: EditorRow,
  { inThread, inWorker }: Reading<Result>,
): Promise<Result> {
  if (isLarge(contentType, bytes)) {
    await ctx.liveDocuments.settle(name);
    const stored = await loadStored(ctx.db, name);
    if (stored) return inWorker(stored);
  }
  const state = { logId, version: Number(version) };
  return ctx.liveDocuments.read(name, state, (doc) => refuseMismatch(() => inThread(doc)));
}
