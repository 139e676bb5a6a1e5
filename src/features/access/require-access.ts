import type { KeyContext } from '../../api/context.ts';
import type { NeededRole } from '../../api/fields.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { type Access, allows } from './access.ts';
import { type AccessFacts, loadAccessTo } from './load-access.ts';
import {
  type DocumentRef,
  type NamedPlace,
  placeBeingDeleted,
  placeNotFound,
  type ResourceRef,
  resourceOf,
} from './places.ts';

/**
 * Requires, at the start of every operation that takes user tokens, that the user has at least this
 * role on the resource that the call names. API keys pass.
 *
 * @throws PERMISSION_DENIED, as `requireRole`
 */
export async function requireAccess(
  ctx: KeyContext,
  { role, ...place }: NamedPlace & { role: NeededRole },
): Promise<void> {
  const { db, tenantId, userId, clock } = ctx;
  if (userId === undefined) return;
  const facts = await loadAccessTo(db, { tenantId, userId }, place);
  const access = facts.accessToPlace(place, userId, unixSeconds(clock));
  requireRole(access, role, resourceOf(place).type);
}

/**
 * Requires that the access includes the role. A user without access gets the same response as for a
 * resource that does not exist.
 *
 * @throws PERMISSION_DENIED, for viewers with the reason `viewer_may_not_write`
 */
export function requireRole(
  access: Access | undefined,
  role: NeededRole,
  type: ResourceRef['type'],
): void {
  if (allows(access, role)) return;
  if (!allows(access, 'viewer')) {
    throw new AppError('PERMISSION_DENIED', `You do not have access to this ${type}.`);
  }
  const message = `You may read this ${type}, but not write to it.`;
  throw new AppError('PERMISSION_DENIED', message, { reason: 'viewer_may_not_write' });
}

/**
 * Requires that the document exists, and that the user of a user token has at least this role on it.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, document_not_found); PERMISSION_DENIED for users
 */
export const requireDocument = (
  ctx: KeyContext,
  place: DocumentRef,
  role: NeededRole,
): Promise<void> =>
  ctx.userId === undefined
    ? requireExisting(ctx, place, role)
    : requireAccess(ctx, { ...place, role });

/**
 * Requires, for API keys, that a place exists. A place that a job is deleting may still be read.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, folder_not_found, document_not_found)
 */
export async function requireExisting(
  { db, tenantId }: Pick<KeyContext, 'db' | 'tenantId'>,
  place: NamedPlace,
  role: NeededRole = 'viewer',
): Promise<void> {
  // The empty user id, which no user has, makes this look up only the place.
  const facts = await loadAccessTo(db, { tenantId, userId: '' }, place);
  if (role === 'viewer' && facts.isBeingDeleted(resourceOf(place))) return;
  requireKnown(facts, place);
}

/** @throws INVALID_ARGUMENT (organization_not_found, folder_not_found, document_not_found) */
export function requireKnown(facts: AccessFacts, place: NamedPlace): void {
  const organization = resourceOf({ organizationId: place.organizationId });
  if (!facts.organizationExists) throw notFound(facts, organization);
  const { type, id } = resourceOf(place);
  if (type !== 'organization' && !facts.resource(type, id)) throw notFound(facts, { type, id });
}

const notFound = (facts: AccessFacts, resource: ResourceRef) =>
  facts.isBeingDeleted(resource)
    ? placeBeingDeleted(resource.type, resource.id)
    : placeNotFound(resource.type);
