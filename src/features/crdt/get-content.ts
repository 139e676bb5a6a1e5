import type { Doc } from 'yjs';
import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { requireDocument } from '../permissions/require-access.ts';
import { ContentMismatch } from './content/content-mismatch.ts';
import { contentKeyOf, type Declared, type EditorContent, readEditor } from './present-editor.ts';
import type { GetCrdtInput, PresentedEditor } from './schema.ts';
import { mismatch, requireType } from './update-content.ts';
import { presentEditor } from './update-event.ts';

/** The content of a document's editors, or of one, edits that are not stored yet included. */
export async function getContent(ctx: KeyContext, input: GetCrdtInput): Promise<PresentedEditor[]> {
  const { organizationId, documentId } = input;
  const { tenantId } = ctx;
  if (ctx.userId !== undefined) {
    await requireDocument(ctx, { organizationId, documentId }, 'viewer');
  }
  const rows = await selectEditors(ctx, input);
  if (rows.length === 0) await requireDocument(ctx, { organizationId, documentId }, 'viewer');
  const editors: PresentedEditor[] = [];
  // One after the other: documents may be large, and only the answer is kept of each.
  for (const { editorId, ...facts } of rows) {
    const name = { tenantId, organizationId, documentId, editorId };
    const content = await ctx.liveDocuments.read(name, (doc) => read(doc, input, facts));
    editors.push(presentEditor(editorId, facts, content));
  }
  return editors;
}

interface EditorRow extends Declared {
  editorId: string;
  updatedAt: Date;
  updatedBy: string | null;
}

function selectEditors(
  ctx: KeyContext,
  { organizationId, documentId, editorId }: GetCrdtInput,
): Promise<EditorRow[]> {
  return ctx.db.query<EditorRow>(sql`
    SELECT editor_id AS "editorId", updated_at AS "updatedAt", updated_by AS "updatedBy",
           content_key AS "contentKey", content_type AS "contentType"
    FROM crdt_documents
    WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId}
      AND (${editorId ?? null}::text IS NULL OR editor_id = ${editorId ?? null})
    ORDER BY editor_id`);
}

function read(doc: Doc, { contentKey, type }: GetCrdtInput, declared: Declared): EditorContent {
  const key = contentKey ?? contentKeyOf(doc, declared);
  const asked = type === undefined ? declared : { contentKey: key, contentType: type };
  try {
    if (type !== undefined) requireType(doc, key, type, declared);
    return readEditor(doc, asked, key);
  } catch (error) {
    if (!(error instanceof ContentMismatch)) throw error;
    throw mismatch(error);
  }
}
