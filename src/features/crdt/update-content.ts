import type { Doc } from 'yjs';
import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { AppError, invalidArgument } from '../../platform/errors.ts';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { requireDocument } from '../permissions/require-document.ts';
import { ContentMismatch } from './content/content-mismatch.ts';
import { replaceContent } from './content/replace-content.ts';
import type { CrdtContentInput } from './schema.ts';

export const noCrdtData = () =>
  new AppError('NOT_FOUND', 'There is no CRDT data for this editorId.');

/** Makes the live document read as given, by a minimal change that every editor gets (4.8). */
export async function updateContent(ctx: KeyContext, input: CrdtContentInput): Promise<void> {
  const { organizationId, documentId, editorId } = input;
  if (ctx.userId !== undefined)
    await requireDocument(ctx, { organizationId, documentId }, 'editor');
  const name = { tenantId: ctx.tenantId, organizationId, documentId, editorId };
  await requireEditor(ctx, name);
  await ctx.liveDocuments.edit(name, ctx.userId, (doc, origin) => replace(doc, input, origin));
}

async function requireEditor(ctx: KeyContext, name: LiveDocumentName): Promise<void> {
  const found = await ctx.db.query(sql`
    SELECT 1 FROM crdt_documents
    WHERE tenant_id = ${name.tenantId} AND organization_id = ${name.organizationId}
      AND document_id = ${name.documentId} AND editor_id = ${name.editorId}`);
  if (found.length > 0) return;
  await requireOrganization(ctx.db, name.tenantId, name.organizationId);
  throw noCrdtData();
}

function replace(doc: Doc, { contentKey, type, data }: CrdtContentInput, origin: unknown): void {
  if (type === 'xml') return;
  try {
    replaceContent(doc, { key: contentKey, type, data, origin });
  } catch (error) {
    if (!(error instanceof ContentMismatch)) throw error;
    throw mismatch(error);
  }
}

export function mismatch({ reason, message }: ContentMismatch): AppError {
  const path = reason === 'root_type' ? 'type' : 'data';
  return invalidArgument(`${path}: ${message}`, { details: { issues: [{ path, message }] } });
}
