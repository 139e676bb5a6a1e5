import type { KeyContext } from '../../../api/context.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { documentNotFound } from '../../access/require-access.ts';
import { documentAdded, insertDocuments } from '../../directory/documents/add-documents.ts';
import { lockDocument } from '../../directory/documents/hold-document.ts';
import { organizationFor } from '../../directory/organizations/organizations.ts';

interface Place {
  organizationId: string;
  documentId: string;
}

/**
 * The document, kept from being deleted until the transaction is done. Made when it is missing and
 * the API key's caller asked for that; users make none.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, document_not_found)
 */
export async function documentFor(
  ctx: KeyContext,
  tx: Transaction,
  input: Place & { createOrganization?: boolean; createDocument?: boolean },
): Promise<{ folderId: string | null }> {
  const mayCreate = ctx.userId === undefined;
  const { organizationId, createOrganization = false } = input;
  await organizationFor(ctx, tx, organizationId, mayCreate && createOrganization);
  const found = await lockDocument(tx, ctx.tenantId, input);
  if (found) return found;
  if (mayCreate && input.createDocument) return await createDocument(ctx, tx, input);
  throw documentNotFound();
}

/** Where somebody else makes it at the same time, theirs is taken. */
async function createDocument(ctx: KeyContext, tx: Transaction, place: Place) {
  const { organizationId, documentId } = place;
  const documents = [{ documentId }];
  const added = await insertDocuments(ctx, tx, { organizationId, folderId: undefined, documents });
  const events = added.map((row) => documentAdded(organizationId, row));
  await ctx.events.append(tx, ctx.tenantId, events);
  return (await lockDocument(tx, ctx.tenantId, place)) ?? { folderId: null };
}
