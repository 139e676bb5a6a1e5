import type { Document } from '@hocuspocus/server';
import { mergeUpdates, type Transaction } from 'yjs';
import { applyInParts } from '../../features/crdt/worker/apply-in-parts.ts';
import type { SplitUpdate } from '../../platform/live-documents.ts';
import { COMMITTED } from '../live-context.ts';

/** The transaction origin of changes that are not stored yet. */
const STAGED = Symbol('staged');
/** The transaction origin of the parts of a stored update. */
const PART = Symbol('part');

type UpdateEvent = [update: Uint8Array, origin: unknown, document: Document, by: Transaction];

/**
 * Changes of callers. They are made in the live document at once, and published when they are stored:
 * until then a change may have to be corrected, because another process stored content first. Editors
 * cannot refer to what they have not received, so they continue unaffected.
 */
export class StagedUpdates {
  readonly #document: Document;
  #events: UpdateEvent[] = [];
  #lastPart: Transaction | undefined;
  #published = Promise.withResolvers<void>();

  constructor(document: Document) {
    this.#document = document;
    const emit = document.emit.bind(document);
    document.emit = (name, args) => {
      const event = args as unknown[] as UpdateEvent;
      if (name === 'update' && event[1] === STAGED) this.#events.push(event);
      else if (name === 'update' && event[1] === PART) this.#lastPart = event[3];
      else emit(name, args);
    };
  }

  /**
   * Applies a stored update in parts, and publishes it as a whole: between two parts, the Yjs of editors
   * would delete formats that seem superfluous in what has arrived.
   */
  async applyStored({ update, parts }: SplitUpdate): Promise<void> {
    const document = this.#document;
    await applyInParts(document, parts, PART, () => !document.isDestroyed);
    const by = this.#lastPart;
    if (by && !document.isDestroyed) document.emit('update', [update, COMMITTED, document, by]);
  }

  /** @throws the error of `make` */
  make(make: () => void): void {
    this.#document.transact(make, STAGED);
  }

  get count(): number {
    return this.#events.length;
  }

  /** All staged changes as one update. */
  get update(): Uint8Array | undefined {
    const updates = this.#events.map(([update]) => update);
    return updates.length > 1 ? mergeUpdates(updates) : updates[0];
  }

  publish(): void {
    const events = this.#events.splice(0);
    this.#published.resolve();
    this.#published = Promise.withResolvers();
    for (const [update, , document, by] of events) {
      document.emit('update', [update, COMMITTED, document, by]);
    }
  }

  /** Resolves once nothing is staged that is staged now. */
  whenPublished(): Promise<void> | undefined {
    return this.#events.length > 0 ? this.#published.promise : undefined;
  }

  /** Forgets changes that will never be stored, with their document. */
  drop(): void {
    this.#events = [];
    this.#published.resolve();
  }
}
