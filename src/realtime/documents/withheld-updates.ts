import type { Document, LocalTransactionOrigin, TransactionOrigin } from '@hocuspocus/server';
import type { Transaction } from 'yjs';

/** The transaction origin of changes that are already in the database, so that they are not stored again. */
export const COMMITTED: LocalTransactionOrigin = { source: 'local' };

/** The arguments of the event `update`, from which editors, other processes and the log receive a change. */
type UpdateEvent = [
  change: Uint8Array,
  origin: unknown,
  document: Document,
  transaction: Transaction,
];

/** A change that was made in a document, and that nobody has received yet. */
export interface WithheldUpdate {
  change: Uint8Array;
  /** Sends the change, or another one in its place, to all receivers. */
  publish(origin: TransactionOrigin, change?: Uint8Array): void;
}

/**
 * Lets a function withhold changes of a document from their receivers.
 *
 * @param withhold is called with each change and the origin of its transaction, and returns whether it
 *   withholds the change
 */
export function withholdUpdates(
  document: Document,
  withhold: (update: WithheldUpdate, origin: unknown) => boolean,
): void {
  const emit = document.emit.bind(document);
  document.emit = (name, args) => {
    if (name !== 'update') return emit(name, args);
    const [change, origin, ...rest] = args as unknown[] as UpdateEvent;
    const update: WithheldUpdate = {
      change,
      publish: (publishAs, other = change) => emit('update', [other, publishAs, ...rest]),
    };
    if (!withhold(update, origin)) emit(name, args);
  };
}

/** Whether a document has received updates that wait for missing ones to which they refer. */
export const hasBlockedUpdates = ({ store }: Document): boolean =>
  store.pendingStructs !== null || store.pendingDs !== null;
