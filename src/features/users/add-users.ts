import { lastOfEach, outcomeMap, succeeded } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import type { ItemOutcome } from '../../api/fields.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { presentUser } from '../access/users/present-user.ts';
import type { UsersInput } from '../access/users/schema.ts';
import { type GrantPlace, userEvent } from '../access/users/user-event.ts';
import { documentAdded, insertDocuments } from '../directory/documents/add-documents.ts';
import { loadTargetChain } from '../directory/folders/target-folders.ts';
import { ensureOrganization } from '../directory/organizations/organizations.ts';
import { lockPlace } from './lock-place.ts';
import { upsertUsers } from './upsert-users.ts';

/**
 * Adds users to an organization, folder or document (4.22). A missing organization or document is
 * created; a missing folder is refused.
 */
export function addUsers(ctx: KeyContext, input: UsersInput): Promise<Record<string, ItemOutcome>> {
  const batch = lastOfEach(input.users, (user) => user.userId);
  return ctx.db.transaction(async (tx) => {
    await ensureOrganization(ctx, tx, input.organizationId);
    const place = await placeFor(ctx, tx, input);
    const users = await upsertUsers(ctx, tx, place, batch);
    await ctx.events.append(
      tx,
      ctx.tenantId,
      users
        .values()
        .map((user) =>
          userEvent(user.added ? 'user.add' : 'user.update', place, user.userId, presentUser(user)),
        ),
    );
    return outcomeMap(
      users.map(({ userId, added }) => succeeded(userId, added ? 'User added.' : 'User updated.')),
    );
  });
}

async function placeFor(
  ctx: KeyContext,
  tx: Transaction,
  { organizationId, folderId, documentId }: UsersInput,
): Promise<GrantPlace> {
  if (documentId !== undefined) return ensureDocument(ctx, tx, organizationId, documentId);
  if (folderId !== undefined) {
    const place = await lockPlace(tx, ctx.tenantId, { organizationId, folderId });
    // A grant on a folder that is being deleted in the background would be deleted too.
    await loadTargetChain(tx, ctx.tenantId, organizationId, folderId);
    return place;
  }
  return { organizationId, resourceType: 'organization', resourceId: organizationId };
}

/** Creates a missing document, and locks the document against deletion. */
async function ensureDocument(
  ctx: KeyContext,
  tx: Transaction,
  organizationId: string,
  documentId: string,
): Promise<GrantPlace> {
  const documents = [{ documentId }];
  const added = await insertDocuments(ctx, tx, { organizationId, folderId: undefined, documents });
  await ctx.events.append(
    tx,
    ctx.tenantId,
    added.values().map((row) => documentAdded(organizationId, row)),
  );
  return lockPlace(tx, ctx.tenantId, { organizationId, documentId });
}
