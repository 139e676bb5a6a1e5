import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import type { LiveDocumentName, StoredState } from '../../platform/live-documents.ts';
import { requireDocument } from '../access/require-access.ts';
import { ContentMismatch } from './content/content-mismatch.ts';
import { loadStored } from './log/load-stored.ts';
import { newestUpdate, newestVersion, updatedAt, updatedBy } from './log/newest-update.ts';
import type { Declared, EditorContent } from './present-editor.ts';
import type { GetCrdtInput, PresentedEditor } from './schema.ts';
import { presentEditor } from './update-event.ts';
import { type ReadOptions, readRoot } from './worker/jobs.ts';
import { isLarge, mismatch, runJob } from './worker/run-job.ts';

/** Returns the content of one or all editors of a document, including edits that are not stored yet. */
export async function getContent(ctx: KeyContext, input: GetCrdtInput): Promise<PresentedEditor[]> {
  const { organizationId, documentId, marks } = input;
  const { tenantId } = ctx;
  if (ctx.userId !== undefined) {
    await requireDocument(ctx, { organizationId, documentId }, 'viewer');
  }
  const rows = await selectEditors(ctx, input);
  if (rows.length === 0 && ctx.userId === undefined) {
    await requireDocument(ctx, { organizationId, documentId }, 'viewer');
  }
  const options = { key: input.contentKey, type: input.type, marks };
  const editors: PresentedEditor[] = [];
  // Editors are read one after the other, so that only one large document is in memory at a time.
  for (const { editorId, ...row } of rows) {
    const name = { tenantId, organizationId, documentId, editorId };
    // The version is not newer than the content, so an update with ifVersion overwrites nothing unseen.
    const facts = { ...row, version: Number(row.version) };
    editors.push(presentEditor(editorId, facts, await read(ctx, name, facts, options)));
  }
  return editors;
}

interface EditorRow extends Declared {
  editorId: string;
  logId: string;
  version: string;
  bytes: number;
  updatedAt: Date;
  updatedBy: string | null;
}

function selectEditors(
  ctx: KeyContext,
  { organizationId, documentId, editorId }: GetCrdtInput,
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

async function read(
  ctx: KeyContext,
  name: LiveDocumentName,
  facts: Declared & StoredState & { bytes: number },
  options: ReadOptions,
): Promise<EditorContent> {
  if (isLarge(facts.contentType, facts.bytes)) {
    await ctx.liveDocuments.settle(name);
    const stored = await loadStored(ctx.db, name);
    if (stored) return runJob(ctx.workerPool, { kind: 'read', stored, options });
  }
  try {
    return await ctx.liveDocuments.read(name, facts, (doc) => readRoot(doc, facts, options));
  } catch (error) {
    if (!(error instanceof ContentMismatch)) throw error;
    throw mismatch(error);
  }
}
