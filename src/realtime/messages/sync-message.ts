import { OutgoingMessage } from '@hocuspocus/server';
import { messageYjsSyncStep1, messageYjsSyncStep2, messageYjsUpdate } from 'y-protocols/sync';
import { applyUpdate, type Doc, getState } from 'yjs';
import type { ClientClocks } from '../../features/crdt/client-ids.ts';
import { readUpdateFacts } from '../../features/crdt/update-facts.ts';
import type { SplitUpdate } from '../../features/crdt/worker/jobs.ts';
import { splitInWorker } from '../../features/crdt/worker/run-job.ts';
import type { WorkerPool } from '../../platform/worker-pool.ts';
import type { LiveConnection } from '../live-connection.ts';
import { refuseSocket } from '../refusal.ts';
import { checkEdits } from './check-edits.ts';
import type { ClaimDependencies } from './claim-clients.ts';
import { containsUpdate } from './known-items.ts';
import type { SyncResponder } from './sync-responder.ts';

/** Larger edits may touch too many places of the document to be applied in one turn. */
const MAX_UNSPLIT_BYTES = 1_024;
/**
 * Edits that refer to missing edits wait in memory, where the document's size limit does not count them.
 * Above this limit, they are dropped, and the whole socket is closed: only then do clients reconnect, and send
 * their edits again together with all edits to which these refer.
 */
const MAX_BLOCKED_BYTES = 256 * 1024;

interface Dependencies extends ClaimDependencies {
  workerPool: WorkerPool;
  syncResponder: SyncResponder;
}

interface SyncMessage {
  kind: number;
  payload: Uint8Array;
}

/**
 * Handles the messages of Yjs's sync protocol: step 1 requests missing content, step 2 replies
 * with the missing edits, and updates bring further edits.
 *
 * @throws Error when the message is malformed
 */
export async function handleSync(
  deps: Dependencies,
  connection: LiveConnection,
  message: SyncMessage,
): Promise<void> {
  const { kind, payload } = message;
  if (kind === messageYjsSyncStep1) {
    // The reply also asks the client for its state.
    connection.session.owesState ??= true;
    return deps.syncResponder.reply(connection);
  }
  // A client sends step 2 when it connects or reconnects.
  if (kind === messageYjsSyncStep2) deps.store.clientReturned(connection);
  else if (kind !== messageYjsUpdate) throw new Error('The message has an unknown kind.');
  const release = () => deps.store.find(connection.document)?.size.release(payload);
  await handleEdits(deps, connection, message).finally(release);
}

async function handleEdits(
  deps: Dependencies,
  connection: LiveConnection,
  { kind, payload }: SyncMessage,
): Promise<void> {
  const edits = await readEdits(deps.workerPool, payload);
  const isWhole = kind === messageYjsSyncStep2;
  const refusal = await checkEdits(deps, connection, {
    ...edits,
    payload,
    isWhole,
    apply: (own) => applyEdits(deps, connection, own),
  });
  if (refusal) return connection.closeFor(refusal);
  // A reader's state is acknowledged when the document already holds all of it.
  const isInDocument = connection.readOnly
    ? isWhole && (await containsUpdate(connection.document, edits.parts))
    : await applyEdits(deps, connection, edits.parts, payload);
  if (!connection.document.hasConnection(connection)) return;
  if (isWhole) connection.session.owesState = false;
  if (isInDocument) return confirmWhenComplete(deps, connection, edits.clocks);
  const status = new OutgoingMessage(connection.messageAddress).writeSyncStatus(false);
  connection.send(status.toUint8Array());
}

/**
 * Confirms an edit to the client, at once or later. A client that reconnects sends its last edits and then its
 * state, which counts as one more edit: all of them are confirmed together.
 */
function confirmWhenComplete(
  { store }: Dependencies,
  connection: LiveConnection,
  clocks: ClientClocks,
): void {
  const { session } = connection;
  session.unconfirmed ??= { count: 0, clocks: new Map() };
  const { unconfirmed } = session;
  unconfirmed.count++;
  for (const [client, clock] of clocks) {
    unconfirmed.clocks.set(client, Math.max(clock, unconfirmed.clocks.get(client) ?? 0));
  }
  confirmIfComplete(store, connection);
}

/**
 * Confirms edits if the document has all of their items, and otherwise checks again after its next change. Yjs
 * holds back items that refer to missing ones, for example to items of users who are still reconnecting.
 */
function confirmIfComplete(store: Dependencies['store'], connection: LiveConnection): void {
  const { document, session } = connection;
  const { unconfirmed } = session;
  if (!unconfirmed || session.owesState || !connection.isOpen) return;
  if (removeReached(document, unconfirmed.clocks)) {
    session.unconfirmed = undefined;
    void acknowledge(store, connection, unconfirmed.count);
  } else if (!unconfirmed.isWatching) {
    unconfirmed.isWatching = true;
    document.once('afterAllTransactions', () => {
      unconfirmed.isWatching = false;
      confirmIfComplete(store, connection);
    });
  }
}

/**
 * Removes clocks up to which the document has all items, so that the check after the next transaction is short.
 *
 * @returns whether the document has reached all of them
 */
function removeReached({ store }: Doc, clocks: Map<number, number>): boolean {
  for (const [client, clock] of clocks) {
    if (clock > getState(store, client)) return false;
    clocks.delete(client);
  }
  return true;
}

/** Acknowledges edits once all edits that have arrived are stored. Never rejects. */
async function acknowledge(
  store: Dependencies['store'],
  connection: LiveConnection,
  count: number,
): Promise<void> {
  await store.find(connection.document)?.whenStored();
  for (let left = count; left > 0 && connection.isOpen; left--) connection.channel.acknowledge();
}

/** Splits large edits in a worker thread, so that this thread is not blocked. */
const readEdits = async (workerPool: WorkerPool, update: Uint8Array): Promise<SplitUpdate> =>
  update.length > MAX_UNSPLIT_BYTES
    ? splitInWorker(workerPool, update)
    : { parts: [update], ...readUpdateFacts(update) };

/** Applies edits. @returns whether all were applied: access may end, or the document be removed, meanwhile. */
async function applyEdits(
  { store }: Dependencies,
  connection: LiveConnection,
  parts: readonly Uint8Array[],
  whole?: Uint8Array,
): Promise<boolean> {
  const { document } = connection;
  const openDoc = store.find(document);
  const mayWrite = () =>
    !connection.readOnly && !document.isDestroyed && document.hasConnection(connection);
  if (!openDoc || !mayWrite()) return false;
  const origin = { source: 'connection', connection };
  const blockedBefore = blockedBytes(document);
  const [first] = parts;
  if (first && parts.length === 1) applyUpdate(document, first, origin);
  else await openDoc.partsApplier.apply(parts, { whole, origin, mayContinue: mayWrite });
  const blocked = blockedBytes(document);
  if (blocked > MAX_BLOCKED_BYTES && blocked > blockedBefore) {
    document.store.pendingStructs = null;
    document.store.pendingDs = null;
    refuseSocket(connection.channel.socket, 'RESOURCE_EXHAUSTED');
  }
  return mayWrite();
}

/** The size of the updates, from clients and other processes, that Yjs holds back until missing ones arrive. */
const blockedBytes = ({ store }: LiveConnection['document']): number =>
  (store.pendingStructs?.update.length ?? 0) + (store.pendingDs?.length ?? 0);
