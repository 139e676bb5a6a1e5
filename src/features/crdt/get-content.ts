import type { KeyContext } from '../../api/context.ts';
import { requireDocument } from '../access/require-access.ts';
import { readEditor, selectEditorIds } from './read-editor.ts';
import type { GetCrdtInput, PresentedEditor } from './schema.ts';
import { presentEditor } from './update-event.ts';

/** Returns the content of one or all editors of a document, each exactly at its version. */
export async function getContent(ctx: KeyContext, input: GetCrdtInput): Promise<PresentedEditor[]> {
  const { organizationId, documentId, marks } = input;
  const requireViewer = () => requireDocument(ctx, { organizationId, documentId }, 'viewer');
  if (ctx.userId !== undefined) await requireViewer();
  const editorIds =
    input.editorId === undefined ? await selectEditorIds(ctx, input) : [input.editorId];
  const options = { key: input.contentKey, type: input.type, marks };
  const editors: PresentedEditor[] = [];
  // Editors are read one after the other, so that only one large document is in memory at a time.
  for (const editorId of editorIds) {
    const name = { tenantId: ctx.tenantId, organizationId, documentId, editorId };
    const content = await readEditor(ctx, name, { kind: 'read', options });
    if (!content) continue;
    const { stored, result } = content;
    editors.push(presentEditor(editorId, { ...stored, version: Number(stored.version) }, result));
  }
  // Content exists only in an existing document. So with an API key, the document is checked only here.
  if (editors.length === 0 && ctx.userId === undefined) await requireViewer();
  return editors;
}
