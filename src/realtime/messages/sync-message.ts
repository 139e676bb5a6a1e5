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
 * Edits that refer to missing edits wait in memory, where the limit of the document's size does not count them.
 * Edits above this limit are dropped, and the whole socket is closed: clients reconnect only then, and send their
 * edits again with all those that they refer to.
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
 * Handles the messages of Yjs's sync protocol: step 1 requests missing content; step 2 answers such a
 * request with edits, and updates bring further edits.
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
    // The answer asks for the state of the client in turn.
    connection.session.owesState ??= true;
    return deps.syncResponder.answer(connection);
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
  // A reader's state is acknowledged when the document holds all of it already.
  const isInDocument = connection.readOnly
    ? isWhole && (await containsUpdate(connection.document, edits.parts))
    : await applyEdits(deps, connection, edits.parts, payload);
  if (!connection.document.hasConnection(connection)) return;
  if (isWhole) connection.session.owesState = false;
  if (isInDocument) return confirm(deps, connection, edits.clocks);
  const status = new OutgoingMessage(connection.messageAddress).writeSyncStatus(false);
  connection.send(status.toUint8Array());
}

/**
 * Counts an edit of a client, to confirm it. A client that reconnects sends its last edits and then its state, which
 * it counts as one edit: all of them are confirmed together.
 */
function confirm({ store }: Dependencies, connection: LiveConnection, clocks: ClientClocks): void {
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
 * Confirms edits once the document has all of their items. Items that refer to missing ones wait, as when
 * somebody types before the edits that were made offline have arrived, or those of others who are still reconnecting.
 */
function confirmIfComplete(store: Dependencies['store'], connection: LiveConnection): void {
  const { document, session } = connection;
  const { unconfirmed } = session;
  if (!unconfirmed || session.owesState || !connection.isOpen) return;
  if (hasAll(document, unconfirmed.clocks)) {
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
 * Whether a document has the items of all clients up to these clocks. Clocks that it has reached are removed: this
 * runs after each transaction for each connection that waits.
 */
function hasAll({ store }: Doc, clocks: Map<number, number>): boolean {
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

/** Returns whether all edits were applied: access may end, or the document be removed, meanwhile. */
async function applyEdits(
  { store }: Dependencies,
  connection: LiveConnection,
  parts: readonly Uint8Array[],
  whole?: Uint8Array,
): Promise<boolean> {
  const { document } = connection;
  const open = store.find(document);
  const mayWrite = () =>
    !connection.readOnly && !document.isDestroyed && document.hasConnection(connection);
  if (!open || !mayWrite()) return false;
  const origin = { source: 'connection', connection };
  const blockedBefore = blockedBytes(document);
  const [first] = parts;
  if (first && parts.length === 1) applyUpdate(document, first, origin);
  else await open.partsApplier.apply(parts, { whole, origin, mayContinue: mayWrite });
  const blocked = blockedBytes(document);
  if (blocked > MAX_BLOCKED_BYTES && blocked > blockedBefore) {
    document.store.pendingStructs = null;
    document.store.pendingDs = null;
    refuseSocket(connection.channel.socket, 'RESOURCE_EXHAUSTED');
  }
  return mayWrite();
}

/** The size of the updates, of clients and of other processes, that wait for updates to which they refer. */
const blockedBytes = ({ store }: LiveConnection['document']): number =>
  (store.pendingStructs?.update.length ?? 0) + (store.pendingDs?.length ?? 0);
