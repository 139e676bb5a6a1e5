import type { LiveDocumentName } from '../../../platform/live-documents.ts';

/** Returns names as parallel arrays, for one statement about many editors. */
export function columnsOf(names: readonly LiveDocumentName[]) {
  return {
    tenantIds: names.map((name) => name.tenantId),
    organizationIds: names.map((name) => name.organizationId),
    documentIds: names.map((name) => name.documentId),
    editorIds: names.map((name) => name.editorId),
  };
}
