import type { AccessType } from '../../api/fields.ts';
import type { ChainLink } from '../folders/folder-chains.ts';
import { effectiveType } from '../permissions/access.ts';
import type { PresentedDocument } from './schema.ts';

export interface DocumentRow {
  documentId: string;
  documentName: string;
  disabled: boolean;
  accessType: AccessType;
  folderId: string | null;
  metadata: Record<string, unknown>;
}

/** Inside a folder the folder's access type counts, not the document's own. */
export function presentDocument(
  row: DocumentRow,
  chains: Map<string, ChainLink[]>,
): PresentedDocument {
  const chain = row.folderId === null ? undefined : chains.get(row.folderId);
  return {
    ...row.metadata,
    id: row.documentId,
    documentName: row.documentName,
    disabled: row.disabled,
    accessType: chain ? effectiveType(chain) : row.accessType,
  };
}
