import { type ChangeRules, mergeItems } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import { loadFolderChains } from '../../access/folder-chains.ts';
import { loadTargetChain } from '../folders/folders.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { DOCUMENTS, type DocumentRow, documentEvent } from './documents.ts';
import type { DocumentInput, MoveDocumentsInput, UpdateDocumentsInput } from './schema.ts';

/** Updates the given fields of documents and merges their metadata. The outcome of an unknown document is a failure. */
export const updateDocuments = (
  ctx: KeyContext,
  { organizationId, documents }: UpdateDocumentsInput,
) =>
  changeDocuments(
    ctx,
    'document.update',
    { organizationId, documents, folderId: null },
    {
      messageOf: (before, item) =>
        item.accessType !== undefined && before.folderId !== null
          ? UPDATED_IN_FOLDER
          : 'Document updated.',
    },
  );

const UPDATED_IN_FOLDER =
  'Document updated. While it is in a folder, the access type of the folder applies.';

/**
 * Moves documents into a folder or to the root. In a folder the access type of the folder applies;
 * at the root the document's own type applies again. The outcome of an unknown document is a failure.
 */
export function moveDocuments(
  ctx: KeyContext,
  { organizationId, documentIds, folderId }: MoveDocumentsInput,
) {
  const documents = documentIds.map((documentId) => ({ documentId }));
  return changeDocuments(
    ctx,
    'document.move',
    { organizationId, documents, folderId },
    {
      apply: (before) => ({ ...before, folderId }),
      messageOf: (before) =>
        before.folderId === folderId ? 'Document is already there.' : 'Document moved.',
    },
  );
}

/**
 * Updates or moves documents, and publishes an event for each that changed.
 *
 * @param input `folderId` is the folder to which the documents move; null for the root, and for updates
 */
function changeDocuments(
  ctx: KeyContext,
  type: 'document.update' | 'document.move',
  input: UpdateDocumentsInput & { folderId: string | null },
  options: Partial<ChangeRules<DocumentInput, DocumentRow>>,
) {
  const { tenantId } = ctx;
  const { organizationId, folderId } = input;
  const place = { tenantId, organizationId };
  const batch = mergeItems(input.documents, DOCUMENTS.idOf);
  return ctx.db.transaction(async (tx) => {
    await requireOrganization(tx, tenantId, organizationId);
    const target = await loadTargetChain(tx, tenantId, organizationId, folderId);
    const locked = await DOCUMENTS.lock(tx, place, batch);
    const { outcomes, changes } = await DOCUMENTS.change(tx, place, { batch, locked }, options);
    const folderIds = changes.flatMap(({ before }) => before.folderId ?? []);
    const origins = await loadFolderChains(tx, tenantId, organizationId, folderIds);
    const chains = new Map([...origins, ...target]);
    const events = changes
      .values()
      .map(({ before, after }) => documentEvent(type, after, chains, before));
    await ctx.events.append(tx, tenantId, events);
    return outcomes;
  });
}
