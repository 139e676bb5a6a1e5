import type { KeyContext } from '../../api/context.ts';
import type { AccessRole } from '../../api/fields.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { AppError, invalidArgument } from '../../platform/errors.ts';
import { organizationNotFound } from '../organizations/organizations.ts';
import { addMissingUser } from './auto-org-user.ts';
import { loadAccess } from './load-access.ts';

export const documentNotFound = () =>
  invalidArgument('The document does not exist.', { reason: 'document_not_found' });

/**
 * The document exists, and whoever came with a user token has at least this role on it.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, document_not_found); to users PERMISSION_DENIED,
 * in the same words whether there is no such document or it is not theirs to see.
 */
export async function requireDocument(
  ctx: KeyContext,
  { organizationId, documentId }: { organizationId: string; documentId: string },
  role: AccessRole,
): Promise<void> {
  const { tenantId, userId = '' } = ctx;
  const isUser = ctx.userId !== undefined;
  if (isUser && ctx.key.requireAutoOrgUser) {
    await addMissingUser(ctx, { tenantId, organizationId, userId });
  }
  const facts = await loadAccess(ctx.db, {
    tenantId,
    organizationId,
    userIds: [userId],
    folderIds: [],
    documentIds: [documentId],
  });
  const access = facts.document(userId, documentId, unixSeconds(ctx.clock));
  if (!isUser) {
    if (!facts.organizationExists) throw organizationNotFound();
    if (!access) throw documentNotFound();
    return;
  }
  const mayAct = access?.allowed && (role === 'viewer' || access.accessRole === 'editor');
  if (!mayAct) throw new AppError('PERMISSION_DENIED', 'You have no access to this document.');
}
