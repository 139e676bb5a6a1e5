import { mergeUpdates } from 'yjs';
import type { Append } from '../../features/crdt/log/append.ts';
import { EVENT_INTERVAL_MS } from '../../features/crdt/log/event-interval.ts';
import { readEditorForEvent } from '../../features/crdt/present-editor.ts';
import { isLarge } from '../../features/crdt/worker/run-job.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Made } from './make-changes.ts';
import type { Edits, OpenDocument } from './open-document.ts';
import type { WorkingCopies } from './working-copies.ts';

/** The limits of one transaction; the rest goes into the next. */
const MAX_DOCUMENTS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** The longest time to prepare a transaction without a pause. */
const TAKE_MS = 20;

/** The edits and changes of one document in a transaction. */
export interface BatchEntry {
  open: OpenDocument;
  edits: Edits | undefined;
  made: Made | undefined;
  /** Undefined when there is nothing to write. */
  append: Append | undefined;
}

/**
 * Takes pending edits and changes for one transaction: of one document at least, however large they
 * are, so that the queue always moves. Documents with more of them stay in `dirty`.
 */
export function takeBatch(
  dirty: Set<OpenDocument>,
  copies: WorkingCopies,
  clock: Clock,
): BatchEntry[] {
  const batch: BatchEntry[] = [];
  let bytes = 0;
  const until = performance.now() + TAKE_MS;
  for (const open of dirty) {
    dirty.delete(open);
    const edits = open.takeEdits();
    const made = open.takeChanges(copies, until);
    if (open.hasWaiting) dirty.add(open);
    batch.push({ open, edits, made, append: appendOf(open, edits, made, clock) });
    bytes += (edits?.update.length ?? 0) + (made?.update?.length ?? 0);
    if (batch.length >= MAX_DOCUMENTS || bytes >= MAX_BYTES) break;
    if (performance.now() >= until) break;
  }
  return batch;
}

/** Puts the edits and changes of a failed transaction back. */
export function putBack(dirty: Set<OpenDocument>, batch: readonly BatchEntry[]): void {
  for (const { open, edits, made, append } of batch) {
    open.putBack(edits, made?.changes ?? []);
    if (append?.claims) open.owners.putBack(append.claims);
    dirty.add(open);
  }
}

/** Returns the update to store, with the resulting content only if an event may be due. */
function appendOf(
  open: OpenDocument,
  edits: Edits | undefined,
  made: Made | undefined,
  clock: Clock,
): Append | undefined {
  const { name, logId, document, version } = open;
  const updates = [edits?.update, made?.update].filter((update) => update !== undefined);
  const [update] = updates;
  if (!update) return undefined;
  const isDue = clock.now() >= open.eventAt + EVENT_INTERVAL_MS;
  // The event of large content is published later, from stored content, by a worker thread.
  const type = made ? open.declared?.contentType : null;
  const mayPublish = isDue && !isLarge(type, open.sizeBytes);
  return {
    name,
    logId,
    update: updates.length > 1 ? mergeUpdates(updates) : update,
    count: (edits?.count ?? 0) + (made?.count ?? 0),
    userId: made?.update ? made.changes.at(-1)?.author : edits?.userId,
    replaces: made && version,
    claims: open.owners.take(),
    content: mayPublish ? readEditorForEvent(made?.copy ?? document, open.declared) : undefined,
  };
}
