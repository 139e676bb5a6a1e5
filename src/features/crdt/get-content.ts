import type { KeyContext } from '../../api/context.ts';
import { requireDocument } from '../access/require-access.ts';
import { readEditor, selectEditors } from './read-editor.ts';
import type { GetCrdtInput, PresentedEditor } from './schema.ts';
import { presentEditor } from './update-event.ts';

/** Returns the content of one or all editors of a document, including edits that are not stored yet. */
export async function getContent(ctx: KeyContext, input: GetCrdtInput): Promise<PresentedEditor[]> {
  const { organizationId, documentId, marks } = input;
  const requireViewer = () => requireDocument(ctx, { organizationId, documentId }, 'viewer');
  if (ctx.userId !== undefined) await requireViewer();
  const rows = await selectEditors(ctx, input);
  // An editor proves that its document exists, so a call with an API key checks the document last.
  if (rows.length === 0 && ctx.userId === undefined) await requireViewer();
  const options = { key: input.contentKey, type: input.type, marks };
  const editors: PresentedEditor[] = [];
  // Editors are read one after the other, so that only one large document is in memory at a time.
  for (const row of rows) {
    const { editorId } = row;
    const name = { tenantId: ctx.tenantId, organizationId, documentId, editorId };
    const content = await readEditor(ctx, name, row, { kind: 'read', options });
    // The version is not newer than the content, so an update with ifVersion overwrites nothing unseen.
    editors.push(presentEditor(editorId, { ...row, version: Number(row.version) }, content));
  }
  return editors;
}
