import type { Doc } from 'yjs';
import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { AppError, invalidArgument } from '../../platform/errors.ts';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { requireDocument } from '../permissions/require-access.ts';
import { ContentMismatch } from './content/content-mismatch.ts';
import { type ContentType, requireRootType, storedTypeOf } from './content/content-type.ts';
import { replaceContent } from './content/replace-content.ts';
import type { Declared } from './present-editor.ts';
import type { CrdtContentInput } from './schema.ts';

export const noCrdtData = () =>
  new AppError('NOT_FOUND', 'There is no CRDT data for this editorId.');

/** Makes the live document read as given, by a minimal change that every editor gets (4.8). */
export async function updateContent(ctx: KeyContext, input: CrdtContentInput): Promise<void> {
  const { organizationId, documentId, editorId } = input;
  if (ctx.userId !== undefined) {
    await requireDocument(ctx, { organizationId, documentId }, 'editor');
  }
  const name = { tenantId: ctx.tenantId, organizationId, documentId, editorId };
  const declared = await requireEditor(ctx, name);
  await ctx.liveDocuments.edit(name, ctx.userId, (doc, origin) =>
    replace(doc, input, declared, origin),
  );
}

async function requireEditor(ctx: KeyContext, name: LiveDocumentName): Promise<Declared> {
  const [editor] = await ctx.db.query<Declared>(sql`
    SELECT content_key AS "contentKey", content_type AS "contentType" FROM crdt_documents
    WHERE tenant_id = ${name.tenantId} AND organization_id = ${name.organizationId}
      AND document_id = ${name.documentId} AND editor_id = ${name.editorId}`);
  if (editor) return editor;
  await requireOrganization(ctx.db, name.tenantId, name.organizationId);
  throw noCrdtData();
}

function replace(
  doc: Doc,
  { contentKey, type, data }: CrdtContentInput,
  declared: Declared,
  origin: unknown,
): void {
  if (type === 'xml') return;
  try {
    requireType(doc, contentKey, type, declared);
    replaceContent(doc, { key: contentKey, type, data, origin });
  } catch (error) {
    if (!(error instanceof ContentMismatch)) throw error;
    throw mismatch(error);
  }
}

/** Refuses a type other than the root's, also where the root is empty and its type was declared. */
export function requireType(doc: Doc, key: string, type: ContentType, declared: Declared): void {
  requireRootType(doc, key, type);
  const isEmpty = storedTypeOf(doc, key) === undefined;
  if (!isEmpty || key !== declared.contentKey || declared.contentType === type) return;
  throw new ContentMismatch(
    'root_type',
    `The stored content is of type ${declared.contentType}, not ${type}.`,
  );
}

export function mismatch({ reason, message }: ContentMismatch): AppError {
  const path = reason === 'root_type' ? 'type' : 'data';
  return invalidArgument(`${path}: ${message}`, { details: { issues: [{ path, message }] } });
}
