import type { Doc } from 'yjs';
import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { AppError } from '../../platform/errors.ts';
import type { DeclaredContent, LiveDocumentName } from '../../platform/live-documents.ts';
import { requireDocument } from '../access/require-access.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';
import { changeStored, noCrdtData, type StoredChange } from './change-stored.ts';
import { TooMuchWork } from './content/work-budget.ts';

/** A change that is made in the live document, or by a job on a copy of what is stored. */
export interface ContentChange extends StoredChange {
  /** Whether the change takes only milliseconds in content of this stored size. */
  isQuick(bytes: number): boolean;
  /** Called as `LiveDocuments.edit` says. @throws {TooMuchWork} to have the job make the change. */
  makeLive(doc: Doc, declared: DeclaredContent | undefined): void;
}

/**
 * Changes the content of an editor, which every connected editor receives.
 *
 * @returns the version after the change
 * @throws PERMISSION_DENIED to users who may not write; NOT_FOUND for an editor without content;
 * ABORTED when the version is not `ifVersion`
 */
export async function changeContent(ctx: KeyContext, change: ContentChange): Promise<number> {
  const { name, ifVersion } = change;
  const openBytes = ctx.liveDocuments.bytesOf(name);
  // Neither needs the other's result. A caller without access gets that failure first.
  const [, bytes] = await pipeline([
    ctx.userId !== undefined && requireDocument(ctx, name, 'editor'),
    openBytes ?? requireEditor(ctx, name),
  ]);
  const isConditional = ifVersion !== undefined || ctx.db.commitsLater;
  if (!isConditional && change.isQuick(bytes)) {
    try {
      // The live document commits the change together with the edits of others.
      return await ctx.liveDocuments.edit(name, ctx.userId, (doc, declared) =>
        change.makeLive(doc, declared),
      );
    } catch (error) {
      // The document in memory was deleted, and another may have its name now.
      if (openBytes !== undefined && isMissing(error)) return changeContent(ctx, change);
      if (!(error instanceof TooMuchWork)) throw error;
    }
  }
  return changeStored(ctx, change);
}

const isMissing = (error: unknown) => error instanceof AppError && error.status === 'NOT_FOUND';

/** Returns the stored size of an editor's content, with its history. */
export async function requireEditor(ctx: KeyContext, name: LiveDocumentName): Promise<number> {
  const [editor] = await ctx.db.query<{ bytes: number }>(sql`
    SELECT (coalesce(octet_length(snapshot), 0) + coalesce((
             SELECT sum(octet_length(u.updates)) FROM crdt_updates u
             WHERE u.tenant_id = c.tenant_id AND u.log_id = c.log_id
               AND u.version > c.snapshot_version), 0))::int AS bytes
    FROM crdt_documents c
    WHERE tenant_id = ${name.tenantId} AND organization_id = ${name.organizationId}
      AND document_id = ${name.documentId} AND editor_id = ${name.editorId}`);
  if (editor) return editor.bytes;
  await requireOrganization(ctx.db, name.tenantId, name.organizationId);
  throw noCrdtData();
}
