import type { Document } from '@hocuspocus/server';
import { mergeUpdates } from 'yjs';
import { COMMITTED, type WithheldUpdate, withholdUpdates } from './withheld-updates.ts';

/** The transaction origin of changes that are not stored yet. */
const STAGED = Symbol('staged');

/**
 * Changes of callers that are made in the live document, but not stored yet. Editors receive them only once
 * they are stored: until then, a change may have to be corrected because another process stored content
 * first. Editors cannot refer to changes that they have not received, so a correction does not affect them.
 */
export class StagedUpdates {
  readonly #document: Document;
  #updates: WithheldUpdate[] = [];
  #published = Promise.withResolvers<void>();

  constructor(document: Document) {
    this.#document = document;
    withholdUpdates(document, (update, origin) => {
      if (origin === STAGED) this.#updates.push(update);
      return origin === STAGED;
    });
  }

  /** Makes a change that editors receive once it is published. @throws the error of `change` */
  stage(change: () => void): void {
    this.#document.transact(change, STAGED);
  }

  get count(): number {
    return this.#updates.length;
  }

  /** All staged changes as one update. */
  get update(): Uint8Array | undefined {
    const changes = this.#updates.map(({ change }) => change);
    return changes.length > 1 ? mergeUpdates(changes) : changes[0];
  }

  /** Sends all staged changes to editors. */
  publish(): void {
    const updates = this.#updates.splice(0);
    this.#published.resolve();
    this.#published = Promise.withResolvers();
    for (const { publish } of updates) publish(COMMITTED);
  }

  /** Resolves once everything that is staged now is published or dropped; undefined when nothing is staged. */
  whenPublished(): Promise<void> | undefined {
    return this.#updates.length > 0 ? this.#published.promise : undefined;
  }

  /** Drops the staged changes. Call this when they will never be stored. */
  drop(): void {
    this.#updates = [];
    this.#published.resolve();
  }
}
