import { id } from '../api/fields.ts';
import type { LiveDocumentName } from '../platform/live-documents.ts';

/**
 * Clients name a document `<organizationId>/<documentId>/<editorId>`, each part URI-encoded. The internal
 * key adds the tenant in front and has only one spelling, since it identifies the document in
 * Hocuspocus and Redis.
 */
export const keyOf = (name: LiveDocumentName): string =>
  [name.tenantId, name.organizationId, name.documentId, name.editorId]
    .map(encodeURIComponent)
    .join('/');

/** Returns the name in a key. @throws Error for a malformed key, which only a defect can cause. */
export function nameOf(key: string): LiveDocumentName {
  const [tenantId, ...parts] = partsOf(key) ?? [];
  const name = tenantId === undefined ? undefined : toName(tenantId, parts);
  if (!name) throw new Error(`Not a key of a live document: ${key}`);
  return name;
}

/** Reads the name that a client uses; undefined when it is malformed. */
export function parseClientName(tenantId: string, text: string): LiveDocumentName | undefined {
  const parts = partsOf(text);
  return parts && toName(tenantId, parts);
}

function toName(tenantId: string, parts: string[]): LiveDocumentName | undefined {
  const [organizationId, documentId, editorId] = parts;
  if (parts.length !== 3 || !organizationId || !documentId || !editorId) return undefined;
  return { tenantId, organizationId, documentId, editorId };
}

function partsOf(text: string): string[] | undefined {
  try {
    const parts = text.split('/').map(decodeURIComponent);
    return parts.every((part) => id.safeParse(part).success) ? parts : undefined;
  } catch {
    return undefined;
  }
}
