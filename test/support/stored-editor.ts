import type { Client, Pool } from 'pg';
import * as Y from 'yjs';
import { framedUpdates, readFramedUpdates } from '../../src/features/crdt/log/update-framing.ts';

export interface StoredEditor {
  /** The number of stored updates. */
  version: number;
  /** The content of the stored updates, merged by Yjs alone. */
  doc: Y.Doc;
  /** How many separately committed updates the log holds beside the snapshot. */
  logLength: number;
}

interface StoredRow {
  version: number;
  snapshot: Buffer | null;
  updates: Buffer | null;
}

/** The rows of the only editor with this id. */
export async function storedEditor(client: Client | Pool, editorId: string): Promise<StoredEditor> {
  const { rows } = await client.query<StoredRow>(
    `SELECT coalesce(max(u.version), c.snapshot_version)::int AS version, c.snapshot,
            ${framedUpdates.sql} AS updates
     FROM crdt_documents /* all tenants */ c LEFT JOIN crdt_updates u USING (tenant_id, log_id)
     WHERE c.editor_id = $1 GROUP BY c.snapshot, c.snapshot_version`,
    [editorId],
  );
  const [{ version, snapshot, updates } = { version: 0, snapshot: null, updates: null }] = rows;
  const log = readFramedUpdates(updates);
  const doc = new Y.Doc();
  for (const update of snapshot ? [snapshot, ...log] : log) Y.applyUpdate(doc, update);
  return { version, doc, logLength: log.length };
}
