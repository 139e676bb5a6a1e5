import type { KeyContext } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { allows } from './access.ts';
import { type AccessContext, holdsContext } from './access-context.ts';
import { type AccessFacts, loadAccess } from './load-access.ts';

/** An item on a document, and the access context that a user needs to see it, if any. */
export interface OnDocument {
  documentId: string;
  access?: AccessContext | null;
}

/**
 * Returns the first reason why a user may not see an item: the user has no access to its document,
 * or does not hold the item's access context there. Undefined: the user may see the item.
 *
 * @param now Unix seconds
 */
export function hidingStepOnDocument(
  facts: AccessFacts,
  { documentId, access }: OnDocument,
  userId: string,
  now: number,
): 'document' | 'context' | undefined {
  if (!allows(facts.accessToDocument(userId, documentId, now), 'viewer')) return 'document';
  const holds = !access || holdsContext(facts, { userId, documentId }, access, now);
  return holds ? undefined : 'context';
}

/** Returns the items that a user may see now. Runs three statements for any number of documents. */
export async function filterVisibleItems<Item extends OnDocument>(
  { tenantId, clock }: Pick<KeyContext, 'tenantId' | 'clock'>,
  db: Queryable,
  { organizationId, userId }: { organizationId: string; userId: string },
  items: Item[],
): Promise<Item[]> {
  if (items.length === 0) return [];
  const documentIds = [...new Set(items.map((item) => item.documentId))];
  const query = { tenantId, organizationId, userIds: [userId], folderIds: [], documentIds };
  const facts = await loadAccess(db, query);
  const now = unixSeconds(clock);
  return items.filter((item) => hidingStepOnDocument(facts, item, userId, now) === undefined);
}
