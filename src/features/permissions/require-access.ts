import type { KeyContext, KeySettings, Services } from '../../api/context.ts';
import type { AccessRole } from '../../api/fields.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { type Access, allows } from './access.ts';
import { addMissingUser } from './auto-org-user.ts';
import { type AccessFacts, loadAccessTo } from './load-access.ts';
import { placeNotFound } from './place-not-found.ts';
import { type NamedPlace, placeOf } from './places.ts';

/**
 * What an operation that is open to user tokens asks before it does anything: whoever came with one
 * has at least this role on the place. Those who came with the API key may do everything.
 *
 * @throws PERMISSION_DENIED, in the same words whether there is no such place or it is not theirs
 * to see.
 */
export async function requireAccess(
  ctx: KeyContext,
  { role, ...place }: NamedPlace & { role: AccessRole },
): Promise<void> {
  const { tenantId, userId, key } = ctx;
  if (userId === undefined) return;
  const access = await accessOfUser(ctx, { tenantId, userId, key }, place);
  if (allows(access, role)) return;
  throw new AppError('PERMISSION_DENIED', `You have no access to this ${placeOf(place).type}.`);
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

/** A user who came with a user token, and the settings of the key that it names. */
interface TokenUser {
  tenantId: string;
  userId: string;
  key: Pick<KeySettings, 'requireAutoOrgUser'>;
}

/**
 * What a user who came with a user token may do with a place. Where the key wants it, the user is
 * added to the organization first, when missing.
 */
export async function accessOfUser(
  parts: Pick<Services, 'db' | 'events' | 'clock'>,
  user: TokenUser,
  place: NamedPlace,
): Promise<Access | undefined> {
  let facts = await loadAccessTo(parts.db, user, place);
  if (isMissing(user, facts)) {
    await addMissingUser(parts, { ...user, organizationId: place.organizationId });
    facts = await loadAccessTo(parts.db, user, place);
  }
  return facts.at(place, user.userId, unixSeconds(parts.clock));
}

const isMissing = ({ key, userId }: TokenUser, facts: AccessFacts): boolean =>
  key.requireAutoOrgUser && facts.organizationExists && !facts.organizationGrant(userId);

/** @throws INVALID_ARGUMENT (organization_not_found, folder_not_found, document_not_found) */
export function requireKnown(facts: AccessFacts, place: NamedPlace): void {
  if (!facts.organizationExists) throw placeNotFound('organization');
  const { type, id } = placeOf(place);
  if (type !== 'organization' && !facts.resource(type, id)) throw placeNotFound(type);
}

export const documentNotFound = () => placeNotFound('document');
