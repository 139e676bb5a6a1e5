import type { Document } from '@hocuspocus/server';
import { mergeUpdates, type Transaction } from 'yjs';
import { applyInParts, MAX_BYTES_AT_ONCE } from '../../features/crdt/worker/apply-in-parts.ts';
import type { UpdateInParts } from '../../platform/live-documents.ts';
import { COMMITTED } from '../live-context.ts';

/** The transaction origin of changes that are not stored yet. */
const STAGED = Symbol('staged');

type UpdateEvent = [update: Uint8Array, origin: unknown, document: Document, by: Transaction];

/** The transaction origin of an update's parts. */
class Parts {
  /** The origin of the update. */
  readonly origin: unknown;
  /** The changes that the parts have made in the document so far. */
  readonly events: UpdateEvent[] = [];

  constructor(origin: unknown) {
    this.origin = origin;
  }
}

/**
 * Updates that editors receive later than they are made in the live document. Changes of callers are
 * published when they are stored: until then a change may have to be corrected, because another process
 * stored content first. Editors cannot refer to what they have not received, so they continue unaffected.
 * Updates that are applied in parts are published when all parts are.
 */
export class StagedUpdates {
  readonly #document: Document;
  #events: UpdateEvent[] = [];
  #published = Promise.withResolvers<void>();
  /** Stores what a part of an update has changed. The whole is published later. */
  onPart: (change: Uint8Array, origin: unknown) => void = () => undefined;

  constructor(document: Document) {
    this.#document = document;
    const emit = document.emit.bind(document);
    document.emit = (name, args) => {
      const event = args as unknown[] as UpdateEvent;
      if (name === 'update' && event[1] === STAGED) this.#events.push(event);
      else if (name === 'update' && event[1] instanceof Parts) this.#addPart(event[1], event);
      else emit(name, args);
    };
  }

  #addPart({ events, origin }: Parts, event: UpdateEvent): void {
    events.push(event);
    this.onPart(event[0], origin);
  }

  /**
   * Applies an update in parts, and publishes it as a whole: between two parts, the Yjs of editors would
   * delete formats that seem superfluous in what has arrived.
   */
  async applyInParts(
    { update, parts }: UpdateInParts,
    origin: unknown = COMMITTED,
    mayGoOn = () => true,
  ): Promise<void> {
    const document = this.#document;
    const applied = new Parts(origin);
    const mayApply = () => !document.isDestroyed && mayGoOn();
    const areAllApplied = await applyInParts(document, parts, applied, mayApply);
    const last = applied.events.at(-1);
    if (!last || document.isDestroyed) return;
    const changes = applied.events.map(([change]) => change);
    const bytes = changes.reduce((sum, { length }) => sum + length, 0);
    const { pendingStructs, pendingDs } = document.store;
    if (bytes <= MAX_BYTES_AT_ONCE) this.#publish(mergeUpdates(changes), last);
    // Merging longer changes would block the process. Editors must not get what the document does not hold.
    else if (areAllApplied && !pendingStructs && !pendingDs) this.#publish(update, last);
    else for (const event of applied.events) this.#publish(event[0], event);
  }

  #publish(change: Uint8Array, [, , document, by]: UpdateEvent): void {
    document.emit('update', [change, COMMITTED, document, by]);
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
    for (const event of events) this.#publish(event[0], event);
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
