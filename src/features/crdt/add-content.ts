import type { KeyContext } from '../../api/context.ts';
import { type Database, sql, type Transaction } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { DeclaredContent, LiveDocumentName } from '../../platform/live-documents.ts';
import { requireDocument } from '../access/require-access.ts';
import { defaultKeyOf } from './editor-root.ts';
import { notifyAppend } from './log/notify-append.ts';
import { frameUpdate } from './log/update-framing.ts';
import type { AddCrdtInput } from './schema.ts';
import { updateEvent } from './update-event.ts';
import { runJob } from './worker/run-job.ts';

const FIRST_VERSION = 1;

/**
 * Stores the first content of an editor, and sends it to connected editors. If several callers or typing users
 * do this at once, only one can insert the editor's row.
 */
export async function addContent(ctx: KeyContext, input: AddCrdtInput): Promise<void> {
  const { organizationId, documentId, editorId } = input;
  const place = { organizationId, documentId };
  await requireDocument(ctx, place, 'editor');
  const name = { tenantId: ctx.tenantId, organizationId, documentId, editorId };
  const { type, data, marks, contentKey: key = defaultKeyOf(type) } = input;
  const declared = { contentKey: key, contentType: type };
  const { update, parts, content } = await runJob(ctx.workerPool, {
    kind: 'replace',
    stored: { ...declared, snapshot: null, updates: [] },
    replacement: { key, type, data, marks },
  });
  const updatedAt = new Date(ctx.clock.now());
  const updatedBy = ctx.userId ?? null;
  const added = await ctx.db.transaction(async (tx) => {
    const firstUpdate = { ...declared, updatedAt, updatedBy, update };
    const inserted = await insertEditor(tx, ctx.db, name, firstUpdate);
    if (!inserted) return undefined;
    const { logId, folderId } = inserted;
    const change = { folderId, version: FIRST_VERSION, updatedAt, updatedBy };
    await ctx.events.append(tx, ctx.tenantId, [updateEvent(name, change, content)]);
    return { logId, version: FIRST_VERSION };
  });
  if (!added) {
    // Throws if nothing was inserted because the document was deleted meanwhile.
    await requireDocument(ctx, place, 'editor');
    throw new AppError('ALREADY_EXISTS', 'CRDT data for this editorId already exists.');
  }
  await ctx.db.whenCommitted(() => ctx.liveDocuments.merge(name, { update, parts }, added));
}

/**
 * Inserts an editor with its first update, and locks the document against a concurrent deletion.
 *
 * @returns the editor's log and the document's folder; undefined when the editor already exists, or the document
 *   does not exist
 */
async function insertEditor(
  tx: Transaction,
  db: Database,
  { tenantId, organizationId, documentId, editorId }: LiveDocumentName,
  firstUpdate: DeclaredContent & { updatedAt: Date; updatedBy: string | null; update: Uint8Array },
): Promise<{ logId: string; folderId: string | null } | undefined> {
  const { contentKey, contentType, updatedAt, updatedBy, update } = firstUpdate;
  const [inserted] = await tx.query<{ logId: string; folderId: string | null }>(sql`
    WITH document AS (
      SELECT folder_id FROM documents
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND document_id = ${documentId}
      FOR KEY SHARE
    ), editor AS (
      INSERT INTO crdt_documents (tenant_id, organization_id, document_id, editor_id, log_id,
                                  content_key, content_type,
                                  updated_at, updated_by, event_at)
      SELECT ${tenantId}, ${organizationId}, ${documentId}, ${editorId}, gen_random_uuid(),
             ${contentKey}, ${contentType}, ${updatedAt}, ${updatedBy}, ${updatedAt}
      FROM document
      ON CONFLICT DO NOTHING
      RETURNING log_id
    ), first_update AS (
      INSERT INTO crdt_updates
        (tenant_id, log_id, first_version, version, created_at, user_id, updates)
      SELECT ${tenantId}, log_id, 1, 1, ${updatedAt}, ${updatedBy}, ${frameUpdate(update)}
      FROM editor
    )
    SELECT log_id AS "logId", folder_id AS "folderId", ${notifyAppend(db, sql`log_id`)} AS notified
    FROM document, editor`);
  return inserted;
}
