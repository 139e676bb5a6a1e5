import type { KeyContext } from '../../api/context.ts';
import { type AccessRole, metadataOf, metadataProblem } from '../../api/fields.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { invalidArgument } from '../../platform/errors.ts';
import { initialOf } from './initial.ts';
import { USER_FIELDS, type UserInput } from './schema.ts';

/** Where a role is given. */
export interface GrantPlace {
  organizationId: string;
  resourceType: 'organization' | 'folder' | 'document';
  resourceId: string;
}

/** A user after the write, with the role on the place that was written to. */
export interface UpsertedUser {
  userId: string;
  name: string | null;
  email: string | null;
  initial: string | null;
  accessRole: AccessRole;
  metadata: Record<string, unknown>;
  /** Whether the user had no grant on the place before. */
  added: boolean;
}

/**
 * Adds users to a place, or updates the fields that are given of those who are there, in one
 * statement. Without a role, who is new becomes an editor and who is there keeps theirs.
 *
 * @throws INVALID_ARGUMENT when a user's metadata, old and new together, are too large.
 */
export async function upsertUsers(
  ctx: KeyContext,
  tx: Transaction,
  place: GrantPlace,
  users: UserInput[],
): Promise<UpsertedUser[]> {
  const rows = JSON.stringify(users.map(toRow));
  // By user, because the update may not join with its input, and searching it grows as its square.
  const roles = JSON.stringify(
    Object.fromEntries(users.map(({ userId, accessRole }) => [userId, accessRole])),
  );
  const { tenantId } = ctx;
  // In the order of ids, so that two batches with the same users cannot wait for each other.
  const upserted = await tx.query<UpsertedUser>(sql`
    WITH input AS (
      SELECT * FROM jsonb_to_recordset(${rows}::jsonb) AS u(
        user_id text, name text, email text, initial text, access_role text, metadata jsonb)
      ORDER BY user_id
    ), upserted AS (
      INSERT INTO users (tenant_id, user_id, name, email, initial, metadata)
      SELECT ${tenantId}, user_id, name, email, initial, metadata FROM input
      ON CONFLICT (tenant_id, user_id) DO UPDATE SET
        name = COALESCE(excluded.name, users.name),
        email = COALESCE(excluded.email, users.email),
        initial = COALESCE(excluded.initial, users.initial),
        metadata = users.metadata || excluded.metadata,
        updated_at = now()
      RETURNING user_id, name, email, initial, metadata
    ), granted AS (
      INSERT INTO grants
        (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
      SELECT ${tenantId}, ${place.organizationId}, ${place.resourceType}, ${place.resourceId},
             user_id, COALESCE(access_role, 'editor')
      FROM input
      ON CONFLICT (tenant_id, organization_id, resource_type, resource_id, user_id) DO UPDATE SET
        access_role = COALESCE(${roles}::jsonb ->> excluded.user_id, grants.access_role),
        expires_at = NULL
      RETURNING user_id, access_role, xmax = 0 AS added
    )
    SELECT user_id AS "userId", name, email, initial, metadata, access_role AS "accessRole", added
    FROM upserted JOIN granted USING (user_id)`);
  upserted.forEach(requireSmallMetadata);
  return upserted;
}

function requireSmallMetadata({ userId, metadata }: UpsertedUser): void {
  const problem = metadataProblem(metadata);
  if (!problem) return;
  const message = `The metadata of ${userId}, with what is stored, ${problem}.`;
  throw invalidArgument(message, { details: { issues: [{ path: 'users', message }] } });
}

function toRow(user: UserInput) {
  return {
    user_id: user.userId,
    name: user.name,
    email: user.email,
    initial: user.initial ?? (user.name === undefined ? undefined : initialOf(user.name)),
    access_role: user.accessRole,
    metadata: metadataOf(user, USER_FIELDS),
  };
}

/** The user object of specification 2.9; what is not known is left out. */
export function presentUser({ metadata, added: _, ...user }: UpsertedUser): object {
  const known = Object.entries(user).filter(([, value]) => value !== null);
  return { ...metadata, ...Object.fromEntries(known) };
}
