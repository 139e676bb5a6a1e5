import type { KeyContext } from '../../../api/context.ts';
import { readPage, rowsAmong } from '../../../api/paging.ts';
import { mapInChunks } from '../../../platform/chunks.ts';
import { type Queryable, sql, type Transaction } from '../../../platform/database/database.ts';
import { LostRace } from '../../../platform/database/lost-races.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import type { NewEvent } from '../../../platform/events/event-log.ts';
import { placeNotFound } from '../../access/places.ts';
import { resourceKind } from '../resources.ts';
import {
  type GetOrganizationsInput,
  type OrganizationInput,
  organization,
  type PresentedOrganization,
} from './schema.ts';

export interface OrganizationRow {
  organizationId: string;
  organizationName: string | null;
  metadata: Record<string, unknown>;
}

export const ORGANIZATIONS = resourceKind<OrganizationRow, OrganizationInput>({
  noun: 'Organization',
  table: 'organizations',
  id: 'organizationId',
  input: organization,
  columns: { organizationId: 'text', organizationName: 'text', metadata: 'jsonb' },
});

const presentOrganization = (row: OrganizationRow): PresentedOrganization => ({
  ...row.metadata,
  organizationId: row.organizationId,
  organizationName: row.organizationName ?? row.organizationId,
});

export function organizationEvent(
  type: 'organization.add' | 'organization.update' | 'organization.delete',
  row: OrganizationRow,
  previous?: OrganizationRow,
): NewEvent {
  const { organizationId } = row;
  return {
    type,
    organizationId,
    channels: [`organization:${organizationId}`],
    data: {
      ...presentOrganization(row),
      ...(previous && { previous: presentOrganization(previous) }),
    },
  };
}

/**
 * Creates the organization if it is missing, and publishes `organization.add` once even for concurrent calls.
 * Locks the organization against deletion. Call this before locking anything in it, as a deletion does.
 *
 * @throws INVALID_ARGUMENT (organization_not_found) while it is being deleted in the background
 */
export async function ensureOrganization(
  ctx: Pick<KeyContext, 'tenantId' | 'events'>,
  tx: Transaction,
  organizationId: string,
): Promise<void> {
  const { tenantId } = ctx;
  const [found] = await tx.query<{ existed: boolean; isBeingDeleted: boolean | null }>(sql`
    WITH added AS (
      INSERT INTO organizations (tenant_id, organization_id, organization_name)
      VALUES (${tenantId}, ${organizationId}, ${organizationId})
      ON CONFLICT DO NOTHING RETURNING 1
    ), locked AS (
      SELECT is_being_deleted FROM organizations
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId} FOR KEY SHARE
    )
    SELECT NOT EXISTS (SELECT 1 FROM added) AS existed,
      (SELECT is_being_deleted FROM locked) AS "isBeingDeleted"`);
  if (found?.isBeingDeleted) throw beingDeleted();
  // The INSERT met a row that this statement cannot see, or that has been deleted since.
  if (found?.existed && found.isBeingDeleted === null) {
    throw new LostRace(
      'Another transaction has created or deleted the organization in the meantime.',
    );
  }
  if (found?.existed) return;
  const row = { organizationId, organizationName: organizationId, metadata: {} };
  await ctx.events.append(tx, tenantId, [organizationEvent('organization.add', row)]);
}

/**
 * Requires that the organization exists, and that no job is deleting it, so that additions are not lost.
 *
 * @throws INVALID_ARGUMENT (organization_not_found), also once its deletion in the background has been
 * requested
 */
export async function requireOrganization(db: Queryable, tenantId: string, organizationId: string) {
  requireWritable(await findOrganization(db, tenantId, organizationId));
}

/**
 * Requires that the organization exists, for reading. While a job is deleting it, its remaining content can be read.
 *
 * @throws INVALID_ARGUMENT (organization_not_found)
 */
export async function requireReadableOrganization(
  db: Queryable,
  tenantId: string,
  organizationId: string,
): Promise<void> {
  if (!(await findOrganization(db, tenantId, organizationId))) throw placeNotFound('organization');
}

async function findOrganization(db: Queryable, tenantId: string, organizationId: string) {
  const [found] = await db.query<OrganizationState>(sql`
    SELECT is_being_deleted AS "isBeingDeleted" FROM organizations
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}`);
  return found;
}

export interface OrganizationState {
  isBeingDeleted: boolean;
}

/**
 * Requires that an organization exists and is not being deleted. `found` is its state as a statement has read
 * it; undefined if the organization does not exist.
 *
 * @throws INVALID_ARGUMENT (organization_not_found)
 */
export function requireWritable<State extends OrganizationState>(found: State | undefined): State {
  if (found && !found.isBeingDeleted) return found;
  throw found ? beingDeleted() : placeNotFound('organization');
}

const beingDeleted = () =>
  invalidArgument('The organization is being deleted.', { reason: 'organization_not_found' });

/** Requires the organization, or creates a missing one if the caller requested that. */
export function findOrCreateOrganization(
  ctx: KeyContext,
  tx: Transaction,
  organizationId: string,
  createOrganization: boolean,
): Promise<void> {
  return createOrganization
    ? ensureOrganization(ctx, tx, organizationId)
    : requireOrganization(tx, ctx.tenantId, organizationId);
}

/** Returns a page of the key's organizations, ordered by id. Unknown ids are omitted. */
export async function getOrganizations(
  ctx: KeyContext,
  { organizationIds, ...paging }: GetOrganizationsInput,
) {
  const { table, columns, idColumn, idOf } = ORGANIZATIONS;
  const where = sql`tenant_id = ${ctx.tenantId}`;
  const query = { operation: 'organizations.get', filters: { organizationIds }, ...paging };
  const { rows, nextPageToken } = await readPage(ctx, query, [idColumn, idOf], (endOfQuery) =>
    ctx.db.query<OrganizationRow>(sql`
      SELECT ${columns} FROM ${rowsAmong({ table, where, idColumn }, organizationIds)} o
      WHERE true ${endOfQuery}`),
  );
  return { data: await mapInChunks(rows, presentOrganization), nextPageToken };
}
