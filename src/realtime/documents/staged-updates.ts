import type { Document } from '@hocuspocus/server';
import { mergeUpdates, type Transaction } from 'yjs';
import { applyInParts } from '../../features/crdt/worker/apply-in-parts.ts';
import type { UpdateInParts } from '../../platform/live-documents.ts';
import { COMMITTED } from '../live-context.ts';

/** The transaction origin of changes that are not stored yet. */
const STAGED = Symbol('staged');

/** The transaction origin of the parts of an update. */
class Part {
  readonly ofOrigin: unknown;
  /** The changes that the parts have made in the document, and the last transaction. */
  readonly changes: Uint8Array[] = [];
  by: Transaction | undefined;

  constructor(ofOrigin: unknown) {
    this.ofOrigin = ofOrigin;
  }
}

type UpdateEvent = [update: Uint8Array, origin: unknown, document: Document, by: Transaction];

/**
 * Changes of callers. They are made in the live document at once, and published when they are stored:
 * until then a change may have to be corrected, because another process stored content first. Editors
 * cannot refer to what they have not received, so they continue unaffected.
 */
export class StagedUpdates {
  readonly #document: Document;
  #events: UpdateEvent[] = [];
  #published = Promise.withResolvers<void>();
  /** Stores a part of an edit, whose whole is published later. */
  onPart: (change: Uint8Array, origin: unknown) => void = () => undefined;

  constructor(document: Document) {
    this.#document = document;
    const emit = document.emit.bind(document);
    document.emit = (name, args) => {
      const event = args as unknown[] as UpdateEvent;
      if (name === 'update' && event[1] === STAGED) this.#events.push(event);
      else if (name === 'update' && event[1] instanceof Part) this.#addPart(event[1], event);
      else emit(name, args);
    };
  }

  #addPart(part: Part, [change, , , by]: UpdateEvent): void {
    part.changes.push(change);
    part.by = by;
    this.onPart(change, part.ofOrigin);
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
    const part = new Part(origin);
    const mayApply = () => !document.isDestroyed && mayGoOn();
    const areAllApplied = await applyInParts(document, parts, part, mayApply);
    const { by, changes } = part;
    if (!by || document.isDestroyed) return;
    const bytes = changes.reduce((sum, { length }) => sum + length, 0);
    // To merge the changes of a long update would take long, and to send what is known already as well.
    const isMostlyNew = areAllApplied && bytes > update.length / 2;
    const change = isMostlyNew ? update : mergeUpdates(changes);
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
