import { z } from 'zod';
import { id } from '../../../api/fields.ts';
import { pageOf, readPageToken, writePageToken } from '../../../api/paging.ts';
import { consoleKeyOperation, router } from '../../../api/procedures.ts';
import { newestUpdate, updatedAt, updatedBy } from '../../../features/crdt/log/newest-update.ts';
import { disconnectedBefore } from '../../../features/presence/read-presence.ts';
import { empty, sql } from '../../../platform/database/database.ts';
import { compareVersions } from './compare-versions.ts';
import { inspectDocument } from './inspect-document.ts';

const MAX_DOCUMENTS = 200;
const MAX_PEOPLE = 20;
const PAGE_SIZE = 100;
const documentIds = { organizationId: id, documentId: id };

interface OpenDocument {
  organizationId: string;
  documentId: string;
  documentName: string | null;
  /** How many users have the document open. */
  peopleCount: number;
  /** The first of these users, by id. */
  people: Array<{ userId: string; name: string | null }>;
  /** How many processes hold a copy of the document for these users. */
  processes: number;
}

interface StoredDocument {
  organizationId: string;
  documentId: string;
  editorId: string;
  documentName: string;
  /** Epoch milliseconds. */
  updatedAt: number;
  /** A userId; null: an API key. */
  updatedBy: string | null;
}

export const liveDocumentsRouter = router({
  /**
   * Lists at most 200 documents that users have open now over WebSockets, in all processes. Every
   * process records its connections. Processes that died do not count.
   */
  list: consoleKeyOperation
    .input(z.strictObject({}))
    .query(async ({ ctx: { db, clock, tenantId } }) => {
      const found = await db.query<OpenDocument>(sql`
        WITH open AS (
          SELECT organization_id, document_id, count(DISTINCT user_id)::int AS people_count,
                 count(DISTINCT process_id)::int AS processes,
                 (array_agg(DISTINCT user_id))[1:${MAX_PEOPLE}::int] AS user_ids
          FROM presence_connections c JOIN presence_processes p ON p.id = c.process_id
          WHERE c.tenant_id = ${tenantId} AND NOT p.is_dead
            AND p.seen_at > ${disconnectedBefore(clock.now())}
          GROUP BY organization_id, document_id
          ORDER BY organization_id, document_id LIMIT ${MAX_DOCUMENTS + 1}
        )
        SELECT open.organization_id AS "organizationId", open.document_id AS "documentId",
               d.document_name AS "documentName", people_count AS "peopleCount", processes,
               (SELECT json_agg(json_build_object('userId', named.user_id, 'name', u.name)
                                ORDER BY named.user_id)
                FROM unnest(user_ids) AS named(user_id)
                LEFT JOIN users u ON u.tenant_id = ${tenantId} AND u.user_id = named.user_id) AS people
        FROM open LEFT JOIN documents d ON d.tenant_id = ${tenantId}
          AND d.organization_id = open.organization_id AND d.document_id = open.document_id
        ORDER BY open.organization_id, open.document_id`);
      return { documents: found.slice(0, MAX_DOCUMENTS), hasMore: found.length > MAX_DOCUMENTS };
    }),

  /** Lists the editors of all documents with live content, in the order of their ids, with their last edits. */
  stored: consoleKeyOperation
    .input(z.strictObject({ pageToken: z.string().max(2000).optional() }))
    .query(async ({ ctx: { db, secrets, tenantId }, input: { pageToken } }) => {
      const query = { operation: 'console.liveDocuments.stored', tenantId, filters: {} };
      const [organizationId, documentId, editorId] = readPageToken(secrets, query, pageToken) ?? [];
      const afterToken =
        organizationId === undefined
          ? empty
          : sql`AND (organization_id, document_id, editor_id)
                  > (${organizationId}, ${documentId}, ${editorId})`;
      // The inner query reads one page of editors; the joins add names and last edits for these only.
      const editors = await db.query<StoredDocument>(sql`
        SELECT c.organization_id AS "organizationId", c.document_id AS "documentId",
               c.editor_id AS "editorId", d.document_name AS "documentName",
               floor(extract(epoch FROM ${updatedAt}) * 1000)::float8 AS "updatedAt",
               ${updatedBy} AS "updatedBy"
        FROM (
          SELECT * FROM crdt_documents WHERE tenant_id = ${tenantId} ${afterToken}
          ORDER BY organization_id, document_id, editor_id LIMIT ${PAGE_SIZE + 1}
        ) c JOIN documents d USING (tenant_id, organization_id, document_id) ${newestUpdate}
        ORDER BY c.organization_id, c.document_id, c.editor_id`);
      const { rows, nextPageToken } = pageOf(editors, PAGE_SIZE, (last) =>
        writePageToken(secrets, query, [last.organizationId, last.documentId, last.editorId]),
      );
      return { data: rows, nextPageToken };
    }),

  /** The editors of a document: the sizes of their logs, and the last edits. */
  inspect: consoleKeyOperation
    .input(z.strictObject(documentIds))
    .query(({ ctx, input }) => inspectDocument(ctx, { tenantId: ctx.tenantId, ...input })),

  /** The changes between two versions of an editor, or between one and the current content. */
  compare: consoleKeyOperation
    .input(z.strictObject({ ...documentIds, editorId: id, from: id, to: id.optional() }))
    .query(({ ctx, input: { from, to, ...name } }) =>
      compareVersions(ctx, { tenantId: ctx.tenantId, ...name }, { from, to }),
    ),
});
