import type { Document, LocalTransactionOrigin, TransactionOrigin } from '@hocuspocus/server';
import type { Transaction } from 'yjs';

/** The transaction origin of changes from the database, which must not be logged again. */
export const COMMITTED: LocalTransactionOrigin = { source: 'local' };

/** The arguments of the event `update`, by which editors, other processes and the log receive a change. */
type UpdateEvent = [
  change: Uint8Array,
  origin: unknown,
  document: Document,
  transaction: Transaction,
];

/** A change that was made in a document, and that nobody has received. */
export interface HeldUpdate {
  change: Uint8Array;
  /** Sends the change to all receivers, or another one in its place. */
  publish(origin: TransactionOrigin, change?: Uint8Array): void;
}

/**
 * Lets a function hold changes back.
 *
 * @param hold is called with each change and the origin of its transaction. It returns whether it holds the change
 */
export function holdUpdates(
  document: Document,
  hold: (update: HeldUpdate, origin: unknown) => boolean,
): void {
  const emit = document.emit.bind(document);
  document.emit = (name, args) => {
    if (name !== 'update') return emit(name, args);
    const [change, origin, ...rest] = args as unknown[] as UpdateEvent;
    const held: HeldUpdate = {
      change,
      publish: (publishAs, other = change) => emit('update', [other, publishAs, ...rest]),
    };
    if (!hold(held, origin)) emit(name, args);
  };
}

/** Whether a document has received updates that refer to missing ones. */
export const hasPending = ({ store }: Document): boolean =>
  store.pendingStructs !== null || store.pendingDs !== null;
