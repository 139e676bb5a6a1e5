import type { Services } from '../../../api/context.ts';
import {
  newestUpdate,
  newestVersion,
  updatedAt,
  updatedBy,
} from '../../../features/crdt/log/newest-update.ts';
import { disconnectedBefore } from '../../../features/presence/read-presence.ts';
import { sql } from '../../../platform/database/database.ts';
import type { LiveDocumentName } from '../../../platform/live-documents.ts';

const MAX_EDITORS = 100;
const MAX_EDITS = 20;
const MAX_PEOPLE = 200;

/** A row of the log: consecutive edits by one user. */
interface Edit {
  firstVersion: number;
  version: number;
  /** The time of the last edit, in epoch milliseconds. */
  at: number;
  /** A userId; null: an API key. */
  userId: string | null;
  bytes: number;
}

interface Editor {
  editorId: string;
  contentType: 'text' | 'map' | 'array' | 'xml' | null;
  version: number;
  /** Epoch milliseconds. */
  updatedAt: number;
  updatedBy: string | null;
  /** All updates up to this version are merged into the snapshot. */
  snapshotVersion: number;
  snapshotBytes: number;
  /** How many rows of the log are not merged yet. */
  logRows: number;
  logBytes: number;
  /** How many versions of the editor are saved. */
  versions: number;
  /** How many Yjs clients are known to have written to the editor. */
  clients: number;
  edits: Edit[];
}

export interface Inspected {
  documentName: string | null;
  editors: Editor[];
  people: Array<{ userId: string; name: string | null; processes: string[] }>;
}

type TenantDocument = Omit<LiveDocumentName, 'editorId'>;

/** Reads the users in a document, and the versions and sizes of its content, but not the content itself. */
export async function inspectDocument(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  ref: TenantDocument,
): Promise<Inspected> {
  const { tenantId, organizationId, documentId } = ref;
  const [[document], editors, people] = await Promise.all([
    db.query<{ documentName: string }>(sql`
      SELECT document_name AS "documentName" FROM documents
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND document_id = ${documentId}`),
    readEditors(db, ref),
    db.query<Inspected['people'][number]>(sql`
      SELECT c.user_id AS "userId", u.name, array_agg(c.process_id ORDER BY c.process_id) AS processes
      FROM presence_connections c JOIN presence_processes p ON p.id = c.process_id
      LEFT JOIN users u ON u.tenant_id = c.tenant_id AND u.user_id = c.user_id
      WHERE c.tenant_id = ${tenantId} AND c.organization_id = ${organizationId}
        AND c.document_id = ${documentId} AND NOT p.is_dead
        AND p.seen_at > ${disconnectedBefore(clock.now())}
      GROUP BY c.user_id, u.name ORDER BY c.user_id LIMIT ${MAX_PEOPLE}`),
  ]);
  return { documentName: document?.documentName ?? null, editors, people };
}

const readEditors = (
  db: Services['db'],
  { tenantId, organizationId, documentId }: TenantDocument,
): Promise<Editor[]> =>
  db.query<Editor>(sql`
    SELECT c.editor_id AS "editorId", c.content_type AS "contentType",
           ${newestVersion}::float8 AS version,
           floor(extract(epoch FROM ${updatedAt}) * 1000)::float8 AS "updatedAt",
           ${updatedBy} AS "updatedBy",
           c.snapshot_version::float8 AS "snapshotVersion",
           coalesce(octet_length(c.snapshot), 0) AS "snapshotBytes",
           log.rows AS "logRows", log.bytes AS "logBytes", log.edits,
           (SELECT count(*)::int FROM crdt_versions v
            WHERE v.tenant_id = c.tenant_id AND v.log_id = c.log_id) AS versions,
           (SELECT count(*)::int FROM crdt_clients k
            WHERE k.tenant_id = c.tenant_id AND k.log_id = c.log_id) AS clients
    FROM (
      SELECT * FROM crdt_documents
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND document_id = ${documentId}
      ORDER BY editor_id LIMIT ${MAX_EDITORS}
    ) c
    ${newestUpdate}
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS rows, coalesce(sum(octet_length(u.updates)), 0)::float8 AS bytes,
             (SELECT coalesce(json_agg(row_to_json(last_rows)), '[]') FROM (
                SELECT l.first_version AS "firstVersion", l.version, l.user_id AS "userId",
                       (extract(epoch FROM l.created_at) * 1000)::bigint AS at,
                       octet_length(l.updates) AS bytes
                FROM crdt_updates l WHERE l.tenant_id = c.tenant_id AND l.log_id = c.log_id
                ORDER BY l.first_version DESC LIMIT ${MAX_EDITS}
              ) AS last_rows) AS edits
      FROM crdt_updates u
      WHERE u.tenant_id = c.tenant_id AND u.log_id = c.log_id AND u.version > c.snapshot_version
    ) AS log
    ORDER BY c.editor_id`);
