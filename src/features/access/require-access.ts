import type { KeyContext } from '../../api/context.ts';
import type { AccessRole } from '../../api/fields.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { type Access, allows } from './access.ts';
import { type AccessFacts, loadAccessTo } from './load-access.ts';
import { placeNotFound } from './place-not-found.ts';
import { type NamedPlace, type Place, resourceOf } from './places.ts';

/**
 * What an operation that is open to user tokens asks before it does anything: whoever came with one
 * has at least this role on the place. Those who came with the API key may do everything.
 *
 * @throws PERMISSION_DENIED, as `requireRole`
 */
export async function requireAccess(
  ctx: KeyContext,
  { role, ...place }: NamedPlace & { role: AccessRole },
): Promise<void> {
  const { tenantId, userId } = ctx;
  if (userId === undefined) return;
  const access = await accessOfUser(ctx, { tenantId, userId }, place);
  requireRole(access, role, resourceOf(place).type);
}

/**
 * Viewers are told that they may not write. To those who may not even read it is as if there were no
 * such place.
 *
 * @throws PERMISSION_DENIED
 */
export function requireRole(
  access: Access | undefined,
  role: AccessRole,
  type: Place['type'],
): void {
  if (allows(access, role)) return;
  const reason = 'viewer_may_not_write';
  throw allows(access, 'viewer')
    ? new AppError('PERMISSION_DENIED', `You may read this ${type}, but not write to it.`, {
        reason,
      })
    : new AppError('PERMISSION_DENIED', `You have no access to this ${type}.`);
}

export const requireDocumentAccess = (
  ctx: KeyContext,
  place: { organizationId: string; documentId: string; role: AccessRole },
): Promise<void> => requireAccess(ctx, place);

/**
 * The document exists, and whoever came with a user token has at least this role on it.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, document_not_found); to users PERMISSION_DENIED.
 */
export async function requireDocument(
  ctx: KeyContext,
  { organizationId, documentId }: { organizationId: string; documentId: string },
  role: AccessRole,
): Promise<void> {
  const place = { organizationId, documentId };
  if (ctx.userId !== undefined) return requireAccess(ctx, { ...place, role });
  requireKnown(await loadAccessTo(ctx.db, { tenantId: ctx.tenantId, userId: '' }, place), place);
}

/** What a user may do with a place; undefined: there is no such place. */
async function accessOfUser(
  { db, clock }: Pick<KeyContext, 'db' | 'clock'>,
  user: { tenantId: string; userId: string },
  place: NamedPlace,
): Promise<Access | undefined> {
  const facts = await loadAccessTo(db, user, place);
  return facts.at(place, user.userId, unixSeconds(clock));
}

/** @throws INVALID_ARGUMENT (organization_not_found, folder_not_found, document_not_found) */
export function requireKnown(facts: AccessFacts, place: NamedPlace): void {
  if (!facts.organizationExists) throw placeNotFound('organization');
  const { type, id } = resourceOf(place);
  if (type !== 'organization' && !facts.resource(type, id)) throw placeNotFound(type);
}

export const documentNotFound = () => placeNotFound('document');
