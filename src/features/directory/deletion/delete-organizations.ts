import { failed, outcomeMap, succeeded } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import type { ItemOutcome } from '../../../api/fields.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { chainsOf } from '../../access/folder-chains.ts';
import { documentColumns } from '../documents/present.ts';
import { folderColumns } from '../folders/folders.ts';
import { type OrganizationRow, organizationColumns } from '../organizations/organizations.ts';
import { deleteOrganizationJob } from './deletion-jobs.ts';
import { type DeletionSize, splitBySize, startedMessage, UNDER_WAY } from './deletion-size.ts';
import {
  allIn,
  type DeletionContext,
  type PlacedDocument,
  type PlacedFolder,
  removeDocuments,
  removeFolders,
  removeOrganizations,
} from './removal.ts';

/**
 * Deletes organizations with all their data. Small deletions are part of this transaction. A job
 * performs large ones, and from now on nothing can be added to their organizations. An unknown
 * organization fails in its outcome.
 */
export function deleteOrganizations(
  ctx: DeletionContext,
  organizationIds: string[],
): Promise<Record<string, ItemOutcome>> {
  const { tenantId } = ctx;
  return ctx.db.transaction(async (tx) => {
    const organizations = await lockOrganizations(tx, tenantId, organizationIds);
    const beingDeleted = idsOf(organizations.filter((row) => row.isBeingDeleted));
    const ids = idsOf(organizations.filter((row) => !row.isBeingDeleted));
    const { now, later } = splitBySize(await loadSizes(tx, tenantId, ids));
    await deleteLater(ctx, tx, later);
    const atOnce = new Set(now.map(({ id }) => id));
    const small = organizations.filter((row) => atOnce.has(row.organizationId));
    await deleteAtOnce(ctx, tx, small);
    const started = new Map(later.map((size) => [size.id, startedMessage(size)]));
    return outcomeMap(
      organizationIds.map((id) => {
        if (atOnce.has(id)) return succeeded(id, 'Organization deleted.');
        const message = started.get(id) ?? (beingDeleted.includes(id) ? UNDER_WAY : undefined);
        return message ? succeeded(id, message) : failed(id, 'Organization does not exist.');
      }),
    );
  });
}

type Deletable = OrganizationRow & { isBeingDeleted: boolean };

const idsOf = (rows: OrganizationRow[]) => rows.map(({ organizationId }) => organizationId);

/** The lock keeps others from adding anything to the organizations. */
const lockOrganizations = (tx: Transaction, tenantId: string, organizationIds: string[]) =>
  tx.query<Deletable>(sql`
    SELECT ${organizationColumns}, is_being_deleted AS "isBeingDeleted" FROM organizations
    WHERE tenant_id = ${tenantId} AND organization_id = ANY(${organizationIds})
    ORDER BY organization_id FOR UPDATE`);

async function deleteLater({ jobs, tenantId }: KeyContext, tx: Transaction, sizes: DeletionSize[]) {
  if (sizes.length === 0) return;
  const ids = sizes.map(({ id }) => id);
  await tx.query(sql`
    UPDATE organizations SET is_being_deleted = true
    WHERE tenant_id = ${tenantId} AND organization_id = ANY(${ids})`);
  const payloads = ids.map((organizationId) => ({ tenantId, organizationId, isMarked: true }));
  await jobs.add(tx, deleteOrganizationJob, payloads);
}

async function loadSizes(
  tx: Transaction,
  tenantId: string,
  organizationIds: string[],
): Promise<DeletionSize[]> {
  if (organizationIds.length === 0) return [];
  return tx.query<DeletionSize>(sql`
    SELECT id,
      (SELECT count(*) FROM documents
       WHERE tenant_id = ${tenantId} AND organization_id = id)::int AS documents,
      (SELECT count(*) FROM folders
       WHERE tenant_id = ${tenantId} AND organization_id = id)::int AS folders
    FROM unnest(${organizationIds}::text[]) AS organization(id)`);
}

async function deleteAtOnce(
  ctx: DeletionContext,
  tx: Transaction,
  organizations: OrganizationRow[],
) {
  if (organizations.length === 0) return;
  const ids = idsOf(organizations);
  const folders = await tx.query<PlacedFolder>(sql`
    SELECT organization_id AS "organizationId", ${folderColumns} FROM folders
    WHERE tenant_id = ${ctx.tenantId} AND organization_id = ANY(${ids})
    ORDER BY organization_id, folder_id FOR UPDATE`);
  const documents = await tx.query<PlacedDocument>(sql`
    SELECT organization_id AS "organizationId", ${documentColumns} FROM documents
    WHERE tenant_id = ${ctx.tenantId} AND organization_id = ANY(${ids})
    ORDER BY organization_id, document_id FOR UPDATE`);
  const byOrganization = Map.groupBy(folders, (row) => row.organizationId);
  const chains = new Map([...byOrganization].map(([id, rows]) => [id, chainsOf(rows)]));
  const chainsIn = (organizationId: string) => chains.get(organizationId) ?? new Map();
  const which = allIn(ids);
  await removeDocuments(ctx, tx, documents, { which, chainsIn });
  await removeFolders(ctx, tx, folders, { which, chainsIn });
  await removeOrganizations(ctx, tx, organizations);
}
