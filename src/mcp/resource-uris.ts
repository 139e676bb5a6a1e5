import { z } from 'zod';
import { id } from '../api/fields.ts';
import type { DocumentRef } from '../features/access/places.ts';

/** A document, or one of its threads. */
export interface McpResource extends DocumentRef {
  annotationId?: string | undefined;
}

export const DOCUMENT_URI = 'collab://document/{organizationId}/{documentId}';
export const THREAD_URI = 'collab://thread/{organizationId}/{documentId}/{annotationId}';

const URI_PATTERN = /^collab:\/\/(?:document\/([^/]+)\/([^/]+)|thread\/([^/]+)\/([^/]+)\/([^/]+))$/;

const ids = z.object({ organizationId: id, documentId: id, annotationId: id.optional() });

/** Parses the URI of a resource, in which the ids are URI-encoded. @returns undefined for any other text */
export function parseUri(uri: string): McpResource | undefined {
  const parts = URI_PATTERN.exec(uri)
    ?.slice(1)
    .filter((part) => part !== undefined)
    .map(decode);
  if (!parts || parts.includes(undefined)) return undefined;
  const [organizationId, documentId, annotationId] = parts;
  return ids.safeParse({ organizationId, documentId, annotationId }).data;
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
