import type { KeyContext } from '../../../api/context.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { LostRace } from '../../../platform/database/lost-races.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { type DocumentRef, placeNotFound } from '../../access/places.ts';
import { addMissingDocument } from '../../directory/documents/add-documents.ts';
import { lockDocument } from '../../directory/documents/lock-document.ts';
import { ensureOrganization } from '../../directory/organizations/organizations.ts';

/**
 * Locks a document against deletion until the transaction ends. A missing document is created for
 * an API key that requested it, and never for a user token.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, document_not_found)
 */
export async function ensureDocument(
  ctx: KeyContext,
  tx: Transaction,
  input: DocumentRef & { createOrganization?: boolean; createDocument?: boolean },
): Promise<{ folderId: string | null }> {
  const mayCreate = ctx.userId === undefined;
  const createsOrganization = mayCreate && input.createOrganization;
  const [, found] = await pipeline([
    createsOrganization && ensureOrganization(ctx, tx, input.organizationId),
    lockDocument(tx, ctx.tenantId, input),
  ]);
  if (found) return found;
  if (mayCreate && input.createDocument) return await createDocument(ctx, tx, input);
  throw placeNotFound('document');
}

/** If another call creates the document at the same time, that document is used. */
async function createDocument(ctx: KeyContext, tx: Transaction, place: DocumentRef) {
  await addMissingDocument(ctx, tx, place);
  const locked = await lockDocument(tx, ctx.tenantId, place);
  if (locked) return locked;
  throw new LostRace('Another call created the document, and it has been deleted since.');
}
