import type { AccessType, CommentAccess } from '../../../api/fields.ts';
import type { NewEvent } from '../../../platform/events/event-log.ts';
import { effectiveType } from '../../access/access.ts';
import type { ChainLink } from '../../access/folder-chains.ts';
import { resourceKind } from '../resources.ts';
import { type DocumentInput, documentInput, type PresentedDocument } from './schema.ts';

export interface DocumentRow {
  organizationId: string;
  documentId: string;
  documentName: string;
  disabled: boolean;
  accessType: AccessType;
  commentAccess: CommentAccess | null;
  folderId: string | null;
  metadata: Record<string, unknown>;
}

export const DOCUMENTS = resourceKind<DocumentRow, DocumentInput>({
  noun: 'Document',
  table: 'documents',
  id: 'documentId',
  input: documentInput,
  columns: {
    organizationId: 'text',
    documentId: 'text',
    documentName: 'text',
    disabled: 'boolean',
    accessType: 'text',
    commentAccess: 'text',
    folderId: 'text',
    metadata: 'jsonb',
  },
  references: [
    'documents_tenant_id_organization_id_fkey',
    'documents_tenant_id_organization_id_folder_id_fkey',
  ],
});

/** For each folder: the folder itself and those above it, nearest first. */
type Chains = ReadonlyMap<string, readonly ChainLink[]>;

/** Returns a document as callers see it. In a folder, the access type of the folder applies. */
export function presentDocument(row: DocumentRow, chains: Chains): PresentedDocument {
  const chain = row.folderId === null ? undefined : chains.get(row.folderId);
  return {
    ...row.metadata,
    id: row.documentId,
    documentName: row.documentName,
    disabled: row.disabled,
    accessType: chain ? effectiveType(chain) : row.accessType,
    ...(row.commentAccess !== null && { commentAccess: row.commentAccess }),
  };
}

/**
 * Creates an event about a document, on the channels of the document, its folder and its organization.
 * `previous` is the whole document before the change. The event of a move has the channels of both folders.
 */
export function documentEvent(
  type: 'document.add' | 'document.update' | 'document.move' | 'document.delete',
  row: DocumentRow,
  chains: Chains,
  previous?: DocumentRow,
): NewEvent {
  const { organizationId, documentId } = row;
  // Metadata may be large, so `Object.assign` adds fields without copying it.
  const present = (document: DocumentRow) => {
    const presented = presentDocument(document, chains);
    return type === 'document.move'
      ? Object.assign(presented, { folderId: document.folderId })
      : presented;
  };
  const folderIds = new Set([row.folderId, previous?.folderId].filter((id) => id != null));
  return {
    type,
    organizationId,
    documentId,
    channels: [
      `organization:${organizationId}`,
      `document:${documentId}`,
      ...[...folderIds].map((folderId) => `folder:${folderId}`),
    ],
    data: Object.assign(present(row), previous && { previous: present(previous) }),
  };
}
