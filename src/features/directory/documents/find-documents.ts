import { z } from 'zod';
import type { KeyContext } from '../../../api/context.ts';
import { id, name, pageToken } from '../../../api/fields.ts';
import { readPageToken, writePageToken } from '../../../api/paging.ts';
import { sql } from '../../../platform/database/database.ts';
import { filterOnDocuments } from '../../access/on-document.ts';

/** The documents that one call looks at, and those of them that it returns. */
const MAX_SCANNED = 500;
const MAX_FOUND = 50;

export const FindDocuments = z.object({
  organizationId: id,
  query: name.optional().meta({ description: 'A part of the name or the id, in any case.' }),
  pageToken,
});
type FindDocumentsInput = z.infer<typeof FindDocuments>;

export const foundDocuments = z.object({
  documents: z.array(z.object({ documentId: z.string(), documentName: z.string() })),
  nextPageToken: z.string().optional(),
});

interface Row {
  documentId: string;
  documentName: string;
}

/**
 * Finds the documents of an organization that a user may read, ordered by id. An organization that
 * does not exist has none, like one without access.
 */
export async function findDocuments(
  ctx: KeyContext & { userId: string },
  { organizationId, query = '', pageToken: token }: FindDocumentsInput,
): Promise<z.infer<typeof foundDocuments>> {
  const { tenantId, userId, secrets } = ctx;
  const filters = { organizationId, query, userId };
  const asked = { operation: 'documents.find', tenantId, filters };
  const [after = ''] = readPageToken(secrets, asked, token) ?? [];
  const found = await ctx.db.query<Row>(sql`
    SELECT document_id AS "documentId", document_name AS "documentName"
    FROM documents
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id > ${after}
    ORDER BY document_id LIMIT ${MAX_SCANNED + 1}`);
  const rows = found.slice(0, MAX_SCANNED);
  const part = query.toLowerCase();
  const named = rows.filter((row) =>
    [row.documentName, row.documentId].some((text) => text.toLowerCase().includes(part)),
  );
  const placed = named.map((row) => ({ ...row, access: null }));
  const readable = await filterOnDocuments(ctx, ctx.db, { organizationId, userId }, placed);
  const shown = readable.slice(0, MAX_FOUND);
  const documents = shown.map(({ documentId, documentName }) => ({ documentId, documentName }));
  const all = found.length > MAX_SCANNED ? rows : [];
  const last = shown.length < readable.length ? shown.at(-1) : all.at(-1);
  if (!last) return { documents };
  return { documents, nextPageToken: writePageToken(secrets, asked, [last.documentId]) };
}
