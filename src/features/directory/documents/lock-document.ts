import { sql, type Transaction } from '../../../platform/database/database.ts';
import { chainsFrom } from '../../access/folder-chains.ts';
import {
  type DocumentRef,
  type NamedPlace,
  placeBeingDeleted,
  placeNotFound,
  resourceOf,
} from '../../access/places.ts';
import { FOLDERS } from '../folders/folders.ts';
import {
  ORGANIZATIONS,
  type OrganizationState,
  requireWritable,
} from '../organizations/organizations.ts';
import { DOCUMENTS } from './documents.ts';

const KINDS = { organization: ORGANIZATIONS, folder: FOLDERS, document: DOCUMENTS };

interface LockResult extends OrganizationState {
  /** Whether the resource exists, and so was locked. */
  isLocked: boolean;
  /** The folder of a document. */
  folderId: string | null;
  /** Whether a job is deleting the folder of the document, or one above it. */
  isInDeletedFolder: boolean;
}

/**
 * Locks an organization, folder or document against deletion until the transaction ends. A document is also
 * locked against moves, because records and their events name its folder. Returns undefined if the
 * organization does not exist.
 *
 * In the statement, `locked` has one row with the document's folder (null for the other kinds), or none if the
 * resource does not exist.
 */
async function lockResource(tx: Transaction, tenantId: string, place: NamedPlace) {
  const { organizationId } = place;
  const { type, id } = resourceOf(place);
  const { table, idColumn } = KINDS[type];
  const isDocument = type === 'document';
  const inOrganization = sql`tenant_id = ${tenantId} AND organization_id = ${organizationId}`;
  const [found] = await tx.query<LockResult>(sql`
    WITH RECURSIVE locked AS (
      SELECT organization_id, ${isDocument ? sql`folder_id` : sql`NULL::text AS folder_id`} FROM ${table}
      WHERE ${inOrganization} AND ${idColumn} = ${id}
      ${isDocument ? sql`FOR SHARE` : sql`FOR KEY SHARE`}
    ), ${chainsFrom(tenantId, sql`TABLE locked`)}
    SELECT is_being_deleted AS "isBeingDeleted", EXISTS (TABLE locked) AS "isLocked",
           (SELECT folder_id FROM locked) AS "folderId",
           EXISTS (SELECT 1 FROM chain WHERE chain.is_being_deleted) AS "isInDeletedFolder"
    FROM organizations WHERE ${inOrganization}`);
  return found;
}

/**
 * Locks an organization, folder or document that has to exist.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, folder_not_found, document_not_found)
 */
export async function lockPlace(tx: Transaction, tenantId: string, place: NamedPlace) {
  const { isLocked } = requireWritable(await lockResource(tx, tenantId, place));
  if (!isLocked) throw placeNotFound(resourceOf(place).type);
}

/**
 * Locks a document, so that records can be added to it. Returns its folder, for the channels of events;
 * undefined if the document does not exist.
 *
 * @throws INVALID_ARGUMENT (organization_not_found); also (document_not_found) while a job is deleting the
 *   document's folder, so that nothing is added and then lost
 */
export async function lockDocument(
  tx: Transaction,
  tenantId: string,
  { organizationId, documentId }: DocumentRef,
): Promise<{ folderId: string | null } | undefined> {
  const found = requireWritable(await lockResource(tx, tenantId, { organizationId, documentId }));
  if (found.isInDeletedFolder) throw placeBeingDeleted('document', documentId);
  return found.isLocked ? { folderId: found.folderId } : undefined;
}

/**
 * Locks a document that has to exist.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, document_not_found)
 */
export async function requireLockedDocument(
  tx: Transaction,
  tenantId: string,
  place: DocumentRef,
): Promise<{ folderId: string | null }> {
  const found = await lockDocument(tx, tenantId, place);
  if (!found) throw placeNotFound('document');
  return found;
}

/** The channels of an event about something in a document. `userId` is the acting user, if known. */
export function documentChannels(
  { organizationId, documentId }: DocumentRef,
  folderId: string | null,
  userId: string | undefined,
): string[] {
  return [
    `organization:${organizationId}`,
    `document:${documentId}`,
    ...(folderId === null ? [] : [`folder:${folderId}`]),
    ...(userId === undefined ? [] : [`user:${userId}`]),
  ];
}
