import type { KeyContext } from '../../../api/context.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { allows } from '../../access/access.ts';
import { loadAccess } from '../../access/load-access.ts';
import { placeNotFound } from '../../access/places.ts';
import { requireOrganization } from '../../directory/organizations/organizations.ts';
import type { PreferencePlaces } from './read-preferences.ts';

/**
 * Requires that the places of preferences exist, and that the user of a token may view them. For the
 * whole organization all users may have preferences, since guests of one document need them too.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, document_not_found); to users PERMISSION_DENIED.
 */
export async function requirePlaces(
  ctx: KeyContext,
  tx: Transaction,
  places: PreferencePlaces,
): Promise<void> {
  const { organizationId } = places;
  const documentIds = places.documentIds.filter((documentId) => documentId !== '');
  if (ctx.userId !== undefined) return requireVisible(ctx, tx, places, documentIds);
  await requireOrganization(tx, ctx.tenantId, organizationId);
  const found = await tx.query(sql`
    SELECT 1 FROM documents
    WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
      AND document_id = ANY(${documentIds})
    ORDER BY document_id FOR KEY SHARE`);
  if (found.length < documentIds.length) throw placeNotFound('document');
}

async function requireVisible(
  { clock }: KeyContext,
  tx: Transaction,
  { tenantId, organizationId, userIds }: PreferencePlaces,
  documentIds: string[],
): Promise<void> {
  const places = { tenantId, organizationId, userIds, folderIds: [], documentIds };
  const facts = await loadAccess(tx, places);
  const now = unixSeconds(clock);
  const isVisible = (userId: string) =>
    documentIds.every((documentId) => allows(facts.document(userId, documentId, now), 'viewer'));
  if (facts.organizationExists && userIds.every(isVisible)) return;
  throw new AppError('PERMISSION_DENIED', 'You have no access to this place.');
}
