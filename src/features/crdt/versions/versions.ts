import type { KeyContext } from '../../../api/context.ts';
import { pageOf, readPageToken, writePageToken } from '../../../api/paging.ts';
import {
  empty,
  type Queryable,
  sql,
  type Transaction,
} from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import type { LiveDocumentName } from '../../../platform/live-documents.ts';
import { noCrdtData } from '../change-stored.ts';
import { loadStored, type StoredDocument } from '../log/load-stored.ts';
import { readLarge } from '../log/read-large.ts';
import { requireEditorAccess } from '../require-editor.ts';
import { runJob } from '../worker/run-job.ts';
import type { CreateVersionInput, ListVersionsInput, PresentedVersion } from './schema.ts';

/** Stores the current content of an editor as a version. */
export async function createVersion(
  ctx: KeyContext,
  { name, ...place }: CreateVersionInput,
): Promise<PresentedVersion> {
  const liveDocument = await requireEditorAccess(ctx, place, 'editor');
  await ctx.liveDocuments.settle(liveDocument);
  const stored = await loadStored(ctx.db, liveDocument);
  if (!stored) throw noCrdtData();
  const version = await buildVersion(ctx, stored, name);
  await ctx.db.transaction((tx) => insertVersion(tx, version));
  return presentVersion(version);
}

/** Builds a version of this content, to be inserted by `insertVersion`. */
export async function buildVersion(
  ctx: KeyContext,
  stored: StoredDocument,
  name?: string,
): Promise<NewVersion> {
  const snapshot = await runJob(ctx.workerPool, { kind: 'snapshot', stored });
  return {
    tenantId: ctx.tenantId,
    logId: stored.logId,
    versionId: newId(),
    name: name ?? null,
    version: stored.version,
    snapshot: Buffer.from(snapshot),
    createdAt: new Date(ctx.clock.now()),
    createdBy: ctx.userId ?? null,
  };
}

/** Returns the content of a version as one update. @throws NOT_FOUND */
export async function readVersionSnapshot(
  db: Queryable,
  { tenantId, organizationId, documentId, editorId }: LiveDocumentName,
  versionId: string | undefined,
): Promise<Buffer> {
  // `||` makes PostgreSQL load the snapshot once, and not again for each chunk (`readLarge`).
  const [version] = await readLarge(
    db,
    sql`
    SELECT v.version_id AS id, v.snapshot || '' AS bytes
    FROM crdt_versions v JOIN crdt_documents c USING (tenant_id, log_id)
    WHERE tenant_id = ${tenantId} AND v.version_id = ${versionId}
      AND c.organization_id = ${organizationId} AND c.document_id = ${documentId}
      AND c.editor_id = ${editorId}`,
  );
  if (!version) throw new AppError('NOT_FOUND', 'The version does not exist.');
  return version.bytes;
}

interface VersionRow {
  versionId: string;
  name: string | null;
  version: string;
  createdAt: Date;
  createdBy: string | null;
}

interface NewVersion extends VersionRow {
  tenantId: string;
  logId: string;
  snapshot: Buffer;
}

/**
 * Inserts a version. Its number is unique, because the editor's row is locked.
 *
 * @param keepLast how many versions with its name are kept; older ones are deleted. Default: all
 */
export async function insertVersion(
  tx: Transaction,
  added: NewVersion,
  keepLast?: number,
): Promise<void> {
  const { tenantId, logId, name } = added;
  const [editor] = await tx.query(sql`
    SELECT 1 AS found FROM crdt_documents
    WHERE tenant_id = ${tenantId} AND log_id = ${logId}::uuid FOR NO KEY UPDATE`);
  if (!editor) throw noCrdtData();
  await tx.query(sql`
    INSERT INTO crdt_versions (tenant_id, log_id, number, version_id, name, version, snapshot,
                               created_at, created_by)
    SELECT ${tenantId}, ${logId}::uuid, coalesce(max(number), 0) + 1, ${added.versionId},
           ${name}, ${added.version}::bigint, ${added.snapshot}, ${added.createdAt},
           ${added.createdBy}
    FROM crdt_versions WHERE tenant_id = ${tenantId} AND log_id = ${logId}::uuid`);
  if (keepLast === undefined) return;
  await tx.query(sql`
    DELETE FROM crdt_versions
    WHERE tenant_id = ${tenantId} AND log_id = ${logId}::uuid AND name = ${name}
      AND number <= (
        SELECT number FROM crdt_versions
        WHERE tenant_id = ${tenantId} AND log_id = ${logId}::uuid AND name = ${name}
        ORDER BY number DESC OFFSET ${keepLast} LIMIT 1)`);
}

/** Returns a page of an editor's versions, the newest first. */
export async function listVersions(ctx: KeyContext, input: ListVersionsInput) {
  const { pageSize, pageToken, ...filters } = input;
  const query = { operation: 'crdt.versions.list', tenantId: ctx.tenantId, filters };
  const [before] = readPageToken(ctx.secrets, query, pageToken) ?? [];
  const liveDocument = await requireEditorAccess(ctx, input, 'viewer');
  const found = await selectVersions(ctx, liveDocument, { before, limit: pageSize + 1 });
  const { rows, nextPageToken } = pageOf(found, pageSize, (last) =>
    writePageToken(ctx.secrets, query, [String(last.number)]),
  );
  return { data: rows.map(presentVersion), nextPageToken };
}

/** Reads the newest versions from the end of the log's index. A plain join might sort all versions. */
function selectVersions(
  ctx: KeyContext,
  { organizationId, documentId, editorId }: LiveDocumentName,
  { before, limit }: { before: string | undefined; limit: number },
) {
  const olderOnly = before === undefined ? empty : sql`AND number < ${before}::int`;
  return ctx.db.query<VersionRow & { number: number }>(sql`
    SELECT v.number, v.version_id AS "versionId", v.name, v.version::text,
           v.created_at AS "createdAt", v.created_by AS "createdBy"
    FROM crdt_documents c CROSS JOIN LATERAL (
      SELECT * FROM crdt_versions
      WHERE tenant_id = ${ctx.tenantId} AND log_id = c.log_id ${olderOnly}
      ORDER BY number DESC LIMIT ${limit}
    ) AS v
    WHERE c.tenant_id = ${ctx.tenantId} AND c.organization_id = ${organizationId}
      AND c.document_id = ${documentId} AND c.editor_id = ${editorId}
    ORDER BY v.number DESC`);
}

const presentVersion = (row: VersionRow): PresentedVersion => ({
  versionId: row.versionId,
  name: row.name,
  version: Number(row.version),
  createdAt: row.createdAt.getTime(),
  createdBy: row.createdBy,
});
