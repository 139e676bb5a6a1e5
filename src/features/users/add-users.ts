import { mergeItems, outcomeMap, succeeded } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import type { ItemOutcome } from '../../api/fields.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { presentUser } from '../access/users/present-user.ts';
import type { UsersInput } from '../access/users/schema.ts';
import { userEvent } from '../access/users/user-event.ts';
import { documentAdded, insertDocuments } from '../directory/documents/add-documents.ts';
import { loadTargetChain } from '../directory/folders/target-folders.ts';
import { ensureOrganization } from '../directory/organizations/organizations.ts';
import { grantPlaceOf, lockPlace } from './lock-place.ts';
import { upsertUsers } from './upsert-users.ts';

/**
 * Adds users to an organization, folder or document (4.22). A missing organization or document is
 * created; a missing folder is refused.
 */
export function addUsers(ctx: KeyContext, input: UsersInput): Promise<Record<string, ItemOutcome>> {
  const batch = mergeItems(input.users, (user) => user.userId);
  return ctx.db.transaction(async (tx) => {
    const place = grantPlaceOf(input);
    const holding = pipeline([
      ensureOrganization(ctx, tx, input.organizationId),
      holdPlace(ctx, tx, input),
    ]);
    // A document may have to be made before it can be locked, and is locked before the users are.
    if (input.documentId !== undefined) await holding;
    const [, users] = await pipeline([holding, upsertUsers(ctx, tx, place, batch)]);
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

/** Makes a missing document, and keeps the document or folder from being deleted until the end. */
async function holdPlace(
  ctx: KeyContext,
  tx: Transaction,
  { organizationId, folderId, documentId }: UsersInput,
): Promise<void> {
  if (documentId !== undefined) {
    const documents = [{ documentId }];
    const missing = { organizationId, folderId: undefined, documents };
    const added = await insertDocuments(ctx, tx, missing);
    const events = added.map((row) => documentAdded(organizationId, row));
    await ctx.events.append(tx, ctx.tenantId, events);
    await lockPlace(tx, ctx.tenantId, { organizationId, documentId });
  } else if (folderId !== undefined) {
    await pipeline([
      lockPlace(tx, ctx.tenantId, { organizationId, folderId }),
      // A grant on a folder that is being deleted in the background would be deleted with it.
      loadTargetChain(tx, ctx.tenantId, organizationId, folderId),
    ]);
  }
}
