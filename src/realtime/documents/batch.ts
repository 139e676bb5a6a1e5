import { Text } from 'yjs';
import { readEditorForEvent } from '../../features/crdt/editor-content.ts';
import { contentKeyOf } from '../../features/crdt/editor-root.ts';
import { EVENT_INTERVAL_MS } from '../../features/crdt/log/append-sql.ts';
import type { Append } from '../../features/crdt/log/append-types.ts';
import { isLarge } from '../../features/crdt/worker/run-job.ts';
import type { Clock } from '../../platform/clock.ts';
import type { OpenDocument } from './open-document.ts';
import type { Change } from './pending-changes.ts';
import { countOf, type Edits } from './pending-edits.ts';

/** The limits of one transaction. What exceeds them goes into the next one. */
const MAX_DOCUMENTS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** The longest time to prepare a transaction without a pause. */
const MAX_PREPARATION_MS = 20;

/** The edits of clients and the changes of callers that one transaction stores for one document. */
export interface BatchEntry {
  openDoc: OpenDocument;
  edits: readonly Edits[];
  /** The changes, which are already made in the document in memory. */
  changes: Change[];
  /** Undefined when there is nothing to write. */
  append: Append | undefined;
}

/**
 * Takes pending edits and changes for one transaction. At least one document is taken, however large its
 * edits are. A document with edits or changes left over stays in `dirty`.
 *
 * @param dirty the documents with pending edits or changes
 * @param candidates the documents among them from which to take
 */
export function takeBatch(
  dirty: Set<OpenDocument>,
  clock: Clock,
  candidates: readonly OpenDocument[],
): BatchEntry[] {
  const batch: BatchEntry[] = [];
  let bytes = 0;
  const deadline = performance.now() + MAX_PREPARATION_MS;
  for (const openDoc of candidates) {
    if (!dirty.delete(openDoc)) continue;
    const edits = openDoc.edits.take(deadline);
    // A change may refer to any edit in memory, so it must not be stored before any of them.
    const changes = openDoc.edits.areWaiting ? [] : openDoc.changes.take(deadline);
    if (openDoc.hasWaitingWork) dirty.add(openDoc);
    const append = buildAppend(openDoc, edits, changes, clock);
    batch.push({ openDoc, edits, changes, append });
    for (const { length } of append?.updates ?? []) bytes += length;
    if (batch.length >= MAX_DOCUMENTS || bytes >= MAX_BYTES) break;
    if (performance.now() >= deadline) break;
  }
  return batch;
}

/**
 * Puts the edits and changes of a failed transaction back, so that the next one takes these documents first.
 * The documents in memory keep the changes that were made in them.
 */
export function putBack(dirty: Set<OpenDocument>, batch: readonly BatchEntry[]): void {
  const others = [...dirty];
  dirty.clear();
  for (const { openDoc, edits, changes, append } of batch) {
    openDoc.edits.putBack(edits);
    openDoc.changes.putBack(changes);
    if (append?.claims) openDoc.owners.putBack(append.claims);
    dirty.add(openDoc);
  }
  for (const openDoc of others) dirty.add(openDoc);
}

/** Returns the updates to store, with the resulting content only if an event may be due. */
function buildAppend(
  openDoc: OpenDocument,
  edits: readonly Edits[],
  changes: readonly Change[],
  clock: Clock,
): Append | undefined {
  const { name, logId, version, staged } = openDoc;
  const updates = edits.map(({ update }) => update);
  const stagedUpdate = staged.update;
  if (stagedUpdate) updates.push(stagedUpdate);
  if (updates.length === 0) return undefined;
  const lastChange = staged.count > 0 ? changes.at(-1) : undefined;
  const mayPublish = clock.now() >= openDoc.eventAt + EVENT_INTERVAL_MS && isShortEnough(openDoc);
  return {
    name,
    logId,
    updates,
    count: countOf(edits) + staged.count,
    userId: lastChange ? lastChange.author : edits.at(-1)?.userId,
    baseVersion: version,
    // A caller's change is made again if another process has stored something since `version`.
    conflictsWith: staged.count > 0 ? 'anything' : undefined,
    claims: openDoc.owners.takeUnsaved(),
    content: mayPublish ? readEditorForEvent(openDoc.document, openDoc.declared) : undefined,
  };
}

/** Whether the content may be read for an event here. Long content is read later, in a worker thread. */
function isShortEnough({ document, declared, size }: OpenDocument): boolean {
  if (!isLarge(null, size.bytes)) return true;
  // The size includes the history. A text also knows the length of its current content.
  const root = document.share.get(contentKeyOf(document, declared));
  return root instanceof Text && !isLarge('text', root.length);
}
