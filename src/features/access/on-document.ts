import type { KeyContext } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { allows } from './access.ts';
import { type AccessContext, holdsContext } from './access-context.ts';
import { loadAccess } from './load-access.ts';

/** An item on a document, and the access context that a user needs to see it; null: none. */
export interface OnDocument {
  documentId: string;
  access: AccessContext | null;
}

/**
 * The items that a user may see now, by the access to their documents and by their access contexts.
 * Runs three statements, whatever the number of documents.
 */
export async function visibleTo<Row extends OnDocument>(
  { tenantId, clock }: Pick<KeyContext, 'tenantId' | 'clock'>,
  db: Queryable,
  { organizationId, userId }: { organizationId: string; userId: string },
  rows: Row[],
): Promise<Row[]> {
  if (rows.length === 0) return [];
  const documentIds = [...new Set(rows.map((row) => row.documentId))];
  const asked = { tenantId, organizationId, userIds: [userId], folderIds: [], documentIds };
  const facts = await loadAccess(db, asked);
  const now = unixSeconds(clock);
  const open = new Set(
    documentIds.filter((documentId) => allows(facts.document(userId, documentId, now), 'viewer')),
  );
  return rows.filter(
    ({ documentId, access }) =>
      open.has(documentId) && (!access || holdsContext(facts, { userId, documentId }, access, now)),
  );
}
