import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import { requireDocument } from '../access/require-access.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';
import { noCrdtData } from './change-stored.ts';
import { storedBytes } from './log/newest-update.ts';

/**
 * Requires that the editor has content, and that the user, if any, has this role in its document.
 *
 * @returns the name of its live document
 * @throws NOT_FOUND for an editor without content; users without access get PERMISSION_DENIED first
 */
export async function requireEditorAccess(
  ctx: KeyContext,
  { organizationId, documentId, editorId }: Omit<LiveDocumentName, 'tenantId'>,
  role: 'viewer' | 'editor',
): Promise<LiveDocumentName> {
  const name = { tenantId: ctx.tenantId, organizationId, documentId, editorId };
  // Neither check needs the result of the other, so both are sent at once.
  await pipeline([
    ctx.userId !== undefined && requireDocument(ctx, { organizationId, documentId }, role),
    requireStoredSize(ctx, name),
  ]);
  return name;
}

/** Returns the size of an editor's content with its log, in bytes. @throws NOT_FOUND if it has no content */
export async function requireStoredSize(ctx: KeyContext, name: LiveDocumentName): Promise<number> {
  const [editor] = await ctx.db.query<{ bytes: number }>(sql`
    SELECT ${storedBytes} AS bytes
    FROM crdt_documents c
    WHERE tenant_id = ${name.tenantId} AND organization_id = ${name.organizationId}
      AND document_id = ${name.documentId} AND editor_id = ${name.editorId}`);
  if (editor) return editor.bytes;
  await requireOrganization(ctx.db, name.tenantId, name.organizationId);
  throw noCrdtData();
}
