import * as Y from 'yjs';
import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { DeclaredContent, LiveDocumentName } from '../../../platform/live-documents.ts';
import { newServerClient } from '../client-ids.ts';
import { newestUpdate, newestVersion, updatedAt, updatedBy } from './newest-update.ts';
import { readLarge } from './read-large.ts';
import { framedUpdates, readFramedUpdates } from './update-framing.ts';

/** The stored content of one editor: a snapshot, and the log of updates after it. */
export interface StoredDocument extends DeclaredContent {
  editorId: string;
  logId: string;
  /** The number of the last stored update, as text, since it is a bigint. */
  version: string;
  snapshotVersion: string;
  snapshot: Buffer | null;
  updates: Buffer[];
  updatedAt: Date;
  updatedBy: string | null;
  eventAt: Date | null;
  folderId: string | null;
}

/** Reads the stored content of an editor; undefined when it has none. */
export async function loadStored(
  db: Queryable,
  { editorId, ...place }: LiveDocumentName,
): Promise<StoredDocument | undefined> {
  const [stored] = await loadAllStored(db, place, [editorId]);
  return stored;
}

/**
 * Reads the snapshots and logs of a document's editors in one statement. With two statements, a compaction
 * in between could move updates into a new snapshot, and they would be missed.
 */
export async function loadAllStored(
  db: Queryable,
  { tenantId, organizationId, documentId }: Omit<LiveDocumentName, 'editorId'>,
  editorIds: readonly string[],
): Promise<StoredDocument[]> {
  const rows = await readLarge<StoredRow>(
    db,
    sql`
    SELECT c.log_id AS id, c.editor_id AS "editorId", ${newestVersion}::text AS version,
           c.snapshot_version::text AS "snapshotVersion", length(c.snapshot) AS "snapshotBytes",
           ${updatedAt} AS "updatedAt", ${updatedBy} AS "updatedBy", c.event_at AS "eventAt",
           c.content_key AS "contentKey", c.content_type AS "contentType",
           d.folder_id AS "folderId",
           coalesce(c.snapshot, '') || coalesce(log.updates, '') AS bytes
    FROM crdt_documents c JOIN documents d USING (tenant_id, organization_id, document_id)
    ${newestUpdate}
    CROSS JOIN LATERAL (
      SELECT ${framedUpdates} AS updates FROM crdt_updates u
      WHERE u.tenant_id = c.tenant_id AND u.log_id = c.log_id AND u.version > c.snapshot_version
    ) log
    WHERE c.tenant_id = ${tenantId} AND c.organization_id = ${organizationId}
      AND c.document_id = ${documentId} AND c.editor_id = ANY(${editorIds}::text[])`,
    sql`"editorId", version, "snapshotVersion", "snapshotBytes", "updatedAt", "updatedBy",
        "eventAt", "contentKey", "contentType", "folderId",`,
  );
  return rows.map(({ id, bytes, snapshotBytes, ...row }) => ({
    ...row,
    logId: id,
    snapshot: snapshotBytes === null ? null : bytes.subarray(0, snapshotBytes),
    updates: readFramedUpdates(bytes.subarray(snapshotBytes ?? 0)),
  }));
}

interface StoredRow extends Omit<StoredDocument, 'logId' | 'snapshot' | 'updates'> {
  id: string;
  snapshotBytes: number | null;
}

/**
 * Prevents Yjs from deleting formats that look redundant after an update. If the update arrives in parts, a
 * later part may need these formats, and each deletion would be an edit that nobody made.
 */
export function keepFormats(doc: Y.Doc): void {
  doc.on('afterTransaction', (transaction) => {
    transaction._needFormattingCleanup = false;
  });
}

/** Applies a snapshot and updates. Content is never rebuilt from JSON: clients could not merge edits with it. */
export function applyStored(
  doc: Y.Doc,
  { snapshot, updates }: Pick<StoredDocument, 'snapshot' | 'updates'>,
): void {
  doc.transact(() => {
    if (snapshot) Y.applyUpdate(doc, snapshot);
    for (const update of updates) Y.applyUpdate(doc, update);
  });
}

/** Runs `use` on a temporary document with the stored content, or an empty one if `stored` is undefined. */
export function withStored<Result>(
  stored: Pick<StoredDocument, 'snapshot' | 'updates'> | undefined,
  use: (doc: Y.Doc) => Result,
): Result {
  // The guid is empty because generating a random one would take longer than loading the document.
  const doc = new Y.Doc({ guid: '' });
  doc.clientID = newServerClient();
  keepFormats(doc);
  try {
    if (stored) applyStored(doc, stored);
    return use(doc);
  } finally {
    doc.destroy();
  }
}
