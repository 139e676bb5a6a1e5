import type { Client, Pool } from 'pg';
import * as Y from 'yjs';
import { framedUpdates, readFramedUpdates } from '../../src/features/crdt/log/update-framing.ts';

interface StoredRow {
  version: number;
  snapshot: Buffer | null;
  updates: Buffer | null;
}

/**
 * Reads the rows of the only editor with this id.
 *
 * @returns the number of stored updates, and their content, merged by Yjs alone
 */
export async function storedEditor(client: Client | Pool, editorId: string) {
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
  return { version, doc };
}
