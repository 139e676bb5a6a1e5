import type { Doc } from 'yjs';
import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import type { EditorFacts, LiveDocumentName } from '../../platform/live-documents.ts';
import { requireDocument } from '../access/require-access.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';
import { changeStored, noCrdtData } from './change-stored.ts';
import { ContentMismatch } from './content/content-mismatch.ts';
import { newestUpdate, newestVersion } from './log/newest-update.ts';
import type { Declared } from './present-editor.ts';
import type { UpdateCrdtInput } from './schema.ts';
import { type Replacement, replace } from './worker/jobs.ts';
import { isLarge, mismatch, runJob, sizeOf } from './worker/run-job.ts';

/** Replaces the content by a minimal change, which every connected editor receives (4.8). */
export async function updateContent(ctx: KeyContext, input: UpdateCrdtInput): Promise<void> {
  const { organizationId, documentId, editorId, ifVersion } = input;
  const name = { tenantId: ctx.tenantId, organizationId, documentId, editorId };
  const replacement = replacementOf(input);
  // Neither needs the other's result. Who has no access learns that first.
  const [, editor] = await pipeline([
    ctx.userId !== undefined && requireDocument(ctx, { organizationId, documentId }, 'editor'),
    ctx.liveDocuments.factsOf(name) ?? requireEditor(ctx, name),
  ]);
  const isSmall = (bytes: number) => !isLarge(replacement.type, bytes);
  // The stored size is checked first, since measuring large new content takes time itself.
  const fitsTurn = isSmall(editor.bytes) && isSmall(editor.bytes + sizeOf(replacement.data));
  // The live document commits the change together with the edits of others.
  if (ifVersion === undefined && fitsTurn && !ctx.db.commitsLater) {
    await ctx.liveDocuments.edit(name, editor.version, ctx.userId, (doc) =>
      replaceLive(doc, editor, replacement),
    );
    return;
  }
  await changeStored(ctx, {
    name,
    ifVersion,
    make: (stored) => runJob(ctx.workerPool, { kind: 'replace', stored, replacement }),
  });
}

const replacementOf = (input: UpdateCrdtInput): Replacement => ({
  key: input.contentKey,
  type: input.type,
  data: input.data,
  marks: input.marks,
});

export async function requireEditor(ctx: KeyContext, name: LiveDocumentName): Promise<EditorFacts> {
  const [editor] = await ctx.db.query<EditorFacts>(sql`
    SELECT content_key AS "contentKey", content_type AS "contentType",
           ${newestVersion}::float8 AS version,
           (coalesce(octet_length(snapshot), 0) + coalesce((
             SELECT sum(octet_length(u.updates)) FROM crdt_updates u
             WHERE u.tenant_id = c.tenant_id AND u.log_id = c.log_id
               AND u.version > c.snapshot_version), 0))::int AS bytes
    FROM crdt_documents c ${newestUpdate}
    WHERE tenant_id = ${name.tenantId} AND organization_id = ${name.organizationId}
      AND document_id = ${name.documentId} AND editor_id = ${name.editorId}`);
  if (editor) return editor;
  await requireOrganization(ctx.db, name.tenantId, name.organizationId);
  throw noCrdtData();
}

function replaceLive(doc: Doc, declared: Declared, replacement: Replacement): void {
  try {
    replace(doc, declared, replacement, undefined);
  } catch (error) {
    if (!(error instanceof ContentMismatch)) throw error;
    throw mismatch(error);
  }
}
