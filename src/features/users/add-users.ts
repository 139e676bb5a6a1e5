import { lastOfEach, outcomeMap, succeeded } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import type { ItemOutcome } from '../../api/fields.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import type { NewEvent } from '../../platform/events/event-log.ts';
import { documentAdded, insertDocuments } from '../documents/add-documents.ts';
import { folderNotFound } from '../folders/folder-chains.ts';
import { ensureOrganization } from '../organizations/organizations.ts';
import type { AddUsersInput } from './schema.ts';
import { type GrantPlace, presentUser, type UpsertedUser, upsertUsers } from './upsert-users.ts';

/**
 * Adds users to an organization, or to one folder or document of it (4.22). A missing organization
 * or document is made; a missing folder is refused.
 */
export function addUsers(
  ctx: KeyContext,
  input: AddUsersInput,
): Promise<Record<string, ItemOutcome>> {
  const batch = lastOfEach(input.users, (user) => user.userId);
  return ctx.db.transaction(async (tx) => {
    await ensureOrganization(ctx, tx, input.organizationId);
    const place = await placeFor(ctx, tx, input);
    const users = await upsertUsers(ctx, tx, place, batch);
    await ctx.events.append(
      tx,
      ctx.tenantId,
      users.map((user) => userEvent(place, user)),
    );
    return outcomeMap(
      users.map(({ userId, added }) => succeeded(userId, added ? 'User added.' : 'User updated.')),
    );
  });
}

async function placeFor(
  ctx: KeyContext,
  tx: Transaction,
  { organizationId, folderId, documentId }: AddUsersInput,
): Promise<GrantPlace> {
  if (documentId !== undefined) {
    await ensureDocument(ctx, tx, organizationId, documentId);
    return { organizationId, resourceType: 'document', resourceId: documentId };
  }
  if (folderId !== undefined) {
    await holdFolder(tx, ctx.tenantId, organizationId, folderId);
    return { organizationId, resourceType: 'folder', resourceId: folderId };
  }
  return { organizationId, resourceType: 'organization', resourceId: organizationId };
}

/** Makes the document when it is missing, and keeps it from being deleted until we are done. */
async function ensureDocument(
  ctx: KeyContext,
  tx: Transaction,
  organizationId: string,
  documentId: string,
): Promise<void> {
  const documents = [{ documentId }];
  const added = await insertDocuments(ctx, tx, { organizationId, folderId: undefined, documents });
  await ctx.events.append(
    tx,
    ctx.tenantId,
    added.map((row) => documentAdded(organizationId, row)),
  );
  await tx.query(sql`
    SELECT 1 FROM documents
    WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId} FOR KEY SHARE`);
}

async function holdFolder(
  tx: Transaction,
  tenantId: string,
  organizationId: string,
  folderId: string,
): Promise<void> {
  const found = await tx.query(sql`
    SELECT 1 FROM folders
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND folder_id = ${folderId} FOR KEY SHARE`);
  if (found.length === 0) throw folderNotFound();
}

function userEvent(place: GrantPlace, user: UpsertedUser): NewEvent {
  const { organizationId, resourceType, resourceId } = place;
  const channels = new Set([
    `organization:${organizationId}`,
    `${resourceType}:${resourceId}`,
    `user:${user.userId}`,
  ]);
  return {
    type: user.added ? 'user.add' : 'user.update',
    organizationId,
    ...(resourceType === 'document' && { documentId: resourceId }),
    channels: [...channels],
    data: presentUser(user),
  };
}
