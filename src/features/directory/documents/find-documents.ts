import { z } from 'zod';
import type { KeyContext } from '../../../api/context.ts';
import { id, name, pageToken } from '../../../api/fields.ts';
import { readPageToken, writePageToken } from '../../../api/paging.ts';
import { sql } from '../../../platform/database/database.ts';
import { filterVisibleItems } from '../../access/on-document.ts';

/** The most documents that one call searches. */
const MAX_SCANNED = 500;
/** The most documents that one call returns. */
const MAX_FOUND = 50;

export const FindDocuments = z.object({
  organizationId: id,
  query: name.optional().meta({ description: 'Part of the name or the id. Case does not matter.' }),
  pageToken,
});
type FindDocumentsInput = z.infer<typeof FindDocuments>;

export const foundDocuments = z.object({
  documents: z.array(z.object({ documentId: z.string(), documentName: z.string() })),
  nextPageToken: z.string().optional(),
});

type FoundDocument = z.infer<typeof foundDocuments>['documents'][number];

/**
 * Finds documents of an organization that a user may read, ordered by id. To the user, an
 * organization that does not exist looks like one without readable documents.
 */
export async function findDocuments(
  ctx: KeyContext & { userId: string },
  { organizationId, query = '', pageToken: token }: FindDocumentsInput,
): Promise<z.infer<typeof foundDocuments>> {
  const { tenantId, userId, secrets } = ctx;
  const filters = { organizationId, query, userId };
  const pagedQuery = { operation: 'documents.find', tenantId, filters };
  const [after = ''] = readPageToken(secrets, pagedQuery, token) ?? [];
  const following = await ctx.db.query<FoundDocument>(sql`
    SELECT document_id AS "documentId", document_name AS "documentName"
    FROM documents
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id > ${after}
    ORDER BY document_id LIMIT ${MAX_SCANNED + 1}`);
  const scanned = following.slice(0, MAX_SCANNED);
  const part = query.toLowerCase();
  const matching = scanned.filter((row) =>
    [row.documentName, row.documentId].some((text) => text.toLowerCase().includes(part)),
  );
  const readable = await filterVisibleItems(ctx, ctx.db, { organizationId, userId }, matching);
  const documents = readable.slice(0, MAX_FOUND);
  // The next page begins after the last document of this page if more were found, or else after the last one searched.
  const lastScanned = following.length > MAX_SCANNED ? scanned.at(-1) : undefined;
  const last = documents.length < readable.length ? documents.at(-1) : lastScanned;
  if (!last) return { documents };
  return { documents, nextPageToken: writePageToken(secrets, pagedQuery, [last.documentId]) };
}
