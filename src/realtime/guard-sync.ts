import type { Connection } from '@hocuspocus/server';
import { encodeStateAsUpdate, parseUpdateMeta } from 'yjs';
import { MAX_DOCUMENT_BYTES } from '../features/crdt/aside/jobs.ts';
import type { Status } from '../platform/errors.ts';
import type { DocumentStore } from './document-store.ts';
import type { LiveContext } from './live-context.ts';
import type { OpenDocument } from './open-document.ts';
import { closing } from './refusal.ts';

/** What a full document still takes, so that its users can make room in it. */
const SMALL_EDIT_BYTES = 1_024;
const ROOM_FOR_SMALL_EDITS = 1_024 * 1_024;

/** Refuses edits that must not get into a document, and closes the connection that they came over. */
export function guardSync(
  store: DocumentStore,
  connection: Connection<LiveContext>,
  update: Uint8Array,
): void {
  const open = store.find(connection.document);
  const problem = open && problemWith(open, update);
  if (problem) connection.close(closing(problem));
}

function problemWith(open: OpenDocument, update: Uint8Array): Status | undefined {
  if (isBuried(open, update)) return 'NOT_FOUND';
  return isTooMuch(open, update) ? 'RESOURCE_EXHAUSTED' : undefined;
}

/**
 * An editor that was deleted must not come back because somebody still has it in memory: edits of
 * clients that had written to it are refused. Whoever loads the page anew has a new client.
 */
function isBuried({ buried }: OpenDocument, update: Uint8Array): boolean {
  if (buried.size === 0) return false;
  return [...parseUpdateMeta(update).from.keys()].some((client) => buried.has(client));
}

/** Measured only when what has come in since the last time may have been too much. */
function isTooMuch(open: OpenDocument, { length }: Uint8Array): boolean {
  const limit = MAX_DOCUMENT_BYTES + (length <= SMALL_EDIT_BYTES ? ROOM_FOR_SMALL_EDITS : 0);
  if (open.sizeBytes + length <= limit) return false;
  open.sizeBytes = encodeStateAsUpdate(open.document).length;
  return open.sizeBytes + length > limit;
}
