import type { KeyContext } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { allows } from './access.ts';
import { type AccessContext, holdsContext } from './access-context.ts';
import { loadAccess } from './load-access.ts';

/** Something on a document, and the context that is to be held to see it; null: none. */
export interface OnDocument {
  documentId: string;
  access: AccessContext | null;
}

/**
 * Those of the things on documents that a user may see now: by the access to each document, and by the
 * access context. Three statements, however many documents they stand on.
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
