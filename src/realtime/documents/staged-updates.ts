import {
  type Document,
  isTransactionOrigin,
  type LocalTransactionOrigin,
  type TransactionOrigin,
} from '@hocuspocus/server';
import { mergeUpdates, type Transaction } from 'yjs';
import { applyInParts, MAX_BYTES_AT_ONCE } from '../../features/crdt/worker/apply-in-parts.ts';
import type { UpdateInParts } from '../../platform/live-documents.ts';

/** The transaction origin of changes from the database, which must not be logged again. */
export const COMMITTED: LocalTransactionOrigin = { source: 'local' };

/** The transaction origin of changes that are not stored yet. */
const STAGED = Symbol('staged');

type UpdateEvent = [
  update: Uint8Array,
  origin: unknown,
  document: Document,
  transaction: Transaction,
];

/** The transaction origin of an update that is applied in parts. */
class PartsOrigin {
  /** The origin of the update. */
  readonly origin: unknown;
  /** The changes that the parts have made in the document so far. */
  readonly events: UpdateEvent[] = [];

  constructor(origin: unknown) {
    this.origin = origin;
  }
}

/**
 * The origin of an update that was applied in parts: its parts were stored as they were applied. An update
 * from another process keeps its origin, so that it is not sent to other processes again.
 */
const publishedOrigin = (origin: unknown): TransactionOrigin =>
  isTransactionOrigin(origin) && origin.source === 'redis' ? origin : COMMITTED;

/**
 * Updates that editors receive later than they are made in the live document. Changes of callers are
 * published when they are stored: until then a change may have to be corrected, because another process
 * stored content first. Editors cannot refer to changes that they have not received, so a correction does
 * not affect them.
 * Updates that are applied in parts are published when all parts are.
 */
export class StagedUpdates {
  readonly #document: Document;
  #events: UpdateEvent[] = [];
  #published = Promise.withResolvers<void>();
  /** Called with the change that a part has made, to store it. The whole update is published later. */
  onPart: (change: Uint8Array, origin: unknown) => void = () => undefined;

  constructor(document: Document) {
    this.#document = document;
    const emit = document.emit.bind(document);
    document.emit = (name, args) => {
      const event = args as unknown[] as UpdateEvent;
      const [change, origin] = event;
      if (name === 'update' && origin === STAGED) {
        this.#events.push(event);
      } else if (name === 'update' && origin instanceof PartsOrigin) {
        origin.events.push(event);
        this.onPart(change, origin.origin);
      } else {
        emit(name, args);
      }
    };
  }

  /**
   * Applies an update in parts, and publishes it as a whole: between two parts, the Yjs of editors would
   * delete formats that seem superfluous in the parts that have arrived.
   */
  async applyInParts(
    { update, parts }: Partial<UpdateInParts> & Pick<UpdateInParts, 'parts'>,
    origin: unknown = COMMITTED,
    mayContinue = () => true,
  ): Promise<void> {
    const document = this.#document;
    const applied = new PartsOrigin(origin);
    const mayApply = () => !document.isDestroyed && mayContinue();
    const areAllApplied = await applyInParts(document, parts, applied, mayApply);
    const last = applied.events.at(-1);
    if (!last || document.isDestroyed) return;
    const changes = applied.events.map(([change]) => change);
    const bytes = changes.reduce((sum, { length }) => sum + length, 0);
    const { pendingStructs, pendingDs } = document.store;
    const publishAs = publishedOrigin(origin);
    if (bytes <= MAX_BYTES_AT_ONCE) return this.#publish(mergeUpdates(changes), last, publishAs);
    // Merging longer changes would block the process. The update itself may replace them only if the
    // document holds all of it.
    const isComplete = areAllApplied && !pendingStructs && !pendingDs;
    if (update && isComplete) return this.#publish(update, last, publishAs);
    for (const event of applied.events) this.#publish(event[0], event, publishAs);
  }

  #publish(
    change: Uint8Array,
    [, , document, transaction]: UpdateEvent,
    origin: TransactionOrigin,
  ): void {
    document.emit('update', [change, origin, document, transaction]);
  }

  /** Makes a change that editors receive once it is published. @throws the error of `change` */
  stage(change: () => void): void {
    this.#document.transact(change, STAGED);
  }

  get count(): number {
    return this.#events.length;
  }

  /** All staged changes as one update. */
  get update(): Uint8Array | undefined {
    const updates = this.#events.map(([update]) => update);
    return updates.length > 1 ? mergeUpdates(updates) : updates[0];
  }

  /** Sends all staged changes to editors. */
  publish(): void {
    const events = this.#events.splice(0);
    this.#published.resolve();
    this.#published = Promise.withResolvers();
    for (const event of events) this.#publish(event[0], event, COMMITTED);
  }

  /** Resolves once everything that is staged now is published; undefined when nothing is staged. */
  whenPublished(): Promise<void> | undefined {
    return this.#events.length > 0 ? this.#published.promise : undefined;
  }

  /** Drops the staged changes, which will never be stored. */
  drop(): void {
    this.#events = [];
    this.#published.resolve();
  }
}
