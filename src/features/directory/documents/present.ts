import type { AccessType, CommentAccess } from '../../../api/fields.ts';
import { type Sql, sql } from '../../../platform/database/database.ts';
import type { NewEvent } from '../../../platform/events/event-log.ts';
import { effectiveType } from '../../access/access.ts';
import type { ChainLink } from '../../access/folder-chains.ts';
import type { PresentedDocument } from './schema.ts';

export interface DocumentRow {
  documentId: string;
  documentName: string;
  disabled: boolean;
  accessType: AccessType;
  commentAccess: CommentAccess | null;
  folderId: string | null;
  metadata: Record<string, unknown>;
}

export const documentColumns: Sql = sql`
  document_id AS "documentId", document_name AS "documentName", disabled,
  access_type AS "accessType", comment_access AS "commentAccess", folder_id AS "folderId", metadata`;

/** The folders of documents, and the folders above them. */
type Chains = ReadonlyMap<string, readonly ChainLink[]>;

/** In a folder the access type of the folder applies, and not the document's own. */
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
 * Creates an event about a document, on the channels of its organization, folder and itself.
 * `previous` is the whole document before the change. A move has the channels of both folders.
 */
export function documentEvent(
  type: 'document.add' | 'document.update' | 'document.move' | 'document.delete',
  organizationId: string,
  { row, chains, previous }: { row: DocumentRow; chains: Chains; previous?: DocumentRow },
): NewEvent {
  const { documentId } = row;
  // Metadata may be large, so it is not copied.
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
