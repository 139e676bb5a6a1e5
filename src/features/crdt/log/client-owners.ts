import { type Database, type Queryable, sql } from '../../../platform/database/database.ts';
import type { LiveDocumentName } from '../../../platform/live-documents.ts';
import { missingLogInsertion } from './logs.ts';

/** Returns the owner of each of these Yjs clients that has written to the editor. */
export async function readClientOwners(
  db: Queryable,
  { tenantId, organizationId, documentId, editorId }: LiveDocumentName,
  clients: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await db.query<{ client: number; userId: string }>(sql`
    SELECT o.client_id::float8 AS client, o.user_id AS "userId"
    FROM crdt_documents c JOIN crdt_clients o USING (tenant_id, log_id)
    WHERE tenant_id = ${tenantId} AND c.organization_id = ${organizationId}
      AND c.document_id = ${documentId} AND c.editor_id = ${editorId}
      AND o.client_id = ANY(${clients}::bigint[])`);
  return new Map(rows.map(({ client, userId }) => [client, userId]));
}

/** Returns the Yjs clients that wrote to an editor of this name before it was deleted. */
export async function loadTombstoneClients(
  db: Queryable,
  { tenantId, organizationId, documentId, editorId }: LiveDocumentName,
): Promise<number[]> {
  const [tombstone] = await db.query<{ clients: string[] }>(sql`
    SELECT clients::text[] FROM crdt_tombstones
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId} AND editor_id = ${editorId}`);
  return tombstone?.clients.map(Number) ?? [];
}

/** A user's claim to own Yjs clients of an editor. */
interface ClientClaim {
  name: LiveDocumentName;
  /** The log of the editor; undefined if it may not exist yet, and is then created. */
  logId: string | undefined;
  clients: readonly number[];
  userId: string;
  now: Date;
}

/**
 * Assigns Yjs clients to a user, except those that already belong to another user.
 *
 * @returns the id of the log, and the owner of each client; undefined when the document was deleted
 */
export async function claimClientOwners(
  db: Database,
  { name, logId, clients, userId, now }: ClientClaim,
): Promise<{ logId: string; owners: ReadonlyMap<number, string> } | undefined> {
  const claimedLogId = logId ?? (await ensureLog(db, name, now));
  if (claimedLogId === undefined) return undefined;
  // Setting an owner to itself returns the row, even one that another process has just written. The row
  // lock waits for a concurrent deletion of the log. Then there is no log, and nothing is inserted.
  const rows = await db.query<{ client: number; userId: string }>(sql`
    INSERT INTO crdt_clients (tenant_id, log_id, client_id, user_id)
    SELECT c.tenant_id, c.log_id, client_id, ${userId}
    FROM crdt_documents c, unnest(${clients}::bigint[]) AS client_id
    WHERE c.tenant_id = ${name.tenantId} AND c.log_id = ${claimedLogId}::uuid
    ORDER BY client_id FOR KEY SHARE OF c
    ON CONFLICT (tenant_id, log_id, client_id) DO UPDATE SET user_id = crdt_clients.user_id
    RETURNING client_id::float8 AS client, user_id AS "userId"`);
  if (rows.length === 0) return undefined;
  const owners = new Map(rows.map((row) => [row.client, row.userId]));
  return { logId: claimedLogId, owners };
}

async function ensureLog(
  db: Database,
  name: LiveDocumentName,
  now: Date,
): Promise<string | undefined> {
  await db.query(missingLogInsertion([name], now));
  const [found] = await db.query<{ logId: string }>(sql`
    SELECT log_id AS "logId" FROM crdt_documents
    WHERE tenant_id = ${name.tenantId} AND organization_id = ${name.organizationId}
      AND document_id = ${name.documentId} AND editor_id = ${name.editorId}`);
  return found?.logId;
}
