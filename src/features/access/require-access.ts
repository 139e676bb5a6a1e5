import type { KeyContext } from '../../api/context.ts';
import type { NeededRole } from '../../api/fields.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { type Access, allows } from './access.ts';
import { type AccessFacts, loadAccessTo } from './load-access.ts';
import {
  type DocumentRef,
  type NamedPlace,
  placeNotFound,
  type ResourceRef,
  resourceOf,
} from './places.ts';

/**
 * The check at the start of every operation that takes user tokens: the user has at least this role
 * on the resource that the call names. API keys pass.
 *
 * @throws PERMISSION_DENIED, as `requireRole`
 */
export async function requireAccess(
  ctx: KeyContext,
  { role, ...place }: NamedPlace & { role: NeededRole },
): Promise<void> {
  const { tenantId, userId } = ctx;
  if (userId === undefined) return;
  const access = await accessOfUser(ctx, { tenantId, userId }, place);
  requireRole(access, role, resourceOf(place).type);
}

/**
 * A viewer who lacks the role gets the reason `viewer_may_not_write`. A user without access gets the
 * same answer as for a resource that does not exist.
 *
 * @throws PERMISSION_DENIED
 */
export function requireRole(
  access: Access | undefined,
  role: NeededRole,
  type: ResourceRef['type'],
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
  place: DocumentRef & { role: NeededRole },
): Promise<void> => requireAccess(ctx, place);

/**
 * The document exists, and the user of a user token has at least this role on it.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, document_not_found); to users PERMISSION_DENIED.
 */
export async function requireDocument(
  ctx: KeyContext,
  { organizationId, documentId }: DocumentRef,
  role: NeededRole,
): Promise<void> {
  const place = { organizationId, documentId };
  if (ctx.userId !== undefined) return requireAccess(ctx, { ...place, role });
  await requireExisting(ctx, place);
}

/** @throws INVALID_ARGUMENT (organization_not_found, folder_not_found, document_not_found) */
export async function requireExisting(
  { db, tenantId }: Pick<KeyContext, 'db' | 'tenantId'>,
  place: NamedPlace,
): Promise<void> {
  requireKnown(await loadAccessTo(db, { tenantId, userId: '' }, place), place);
}

/** The access of a user to a resource; undefined: there is no such resource. */
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
