import { type Document, isTransactionOrigin, type TransactionOrigin } from '@hocuspocus/server';
import { mergeUpdates } from 'yjs';
import { applyInParts, MAX_BYTES_AT_ONCE } from '../../features/crdt/worker/apply-in-parts.ts';
import {
  COMMITTED,
  hasBlockedUpdates,
  type WithheldUpdate,
  withholdUpdates,
} from './withheld-updates.ts';

interface Options {
  /** The update that was split into the parts, if there is one. */
  whole?: Uint8Array | undefined;
  /** The origin of the update. Default: `COMMITTED`, for an update that is already in the database. */
  origin?: unknown;
  /** Asked before each part. When false, the remaining parts are not applied. */
  mayContinue?: () => boolean;
}

/** The transaction origin of an update that is applied in parts. */
class PartsOrigin {
  /** The origin of the update. */
  readonly origin: unknown;
  /** The changes that the parts have made in the document so far. */
  readonly withheld: WithheldUpdate[] = [];

  constructor(origin: unknown) {
    this.origin = origin;
  }
}

/** Returns the origin of the update that a transaction applies, perhaps in parts. */
export const originOf = (origin: unknown): unknown =>
  origin instanceof PartsOrigin ? origin.origin : origin;

/** Applies updates in parts, so that none blocks the process for long. */
export class PartsApplier {
  readonly #document: Document;
  /** Called with the change that a part has made, to store it. The whole update is published later. */
  onPart: (change: Uint8Array, origin: unknown) => void = () => undefined;

  constructor(document: Document) {
    this.#document = document;
    withholdUpdates(document, (update, origin) => {
      if (!(origin instanceof PartsOrigin)) return false;
      origin.withheld.push(update);
      this.onPart(update.change, origin.origin);
      return true;
    });
  }

  /**
   * Applies an update in parts, and publishes it as a whole. If editors received one part at a time, Yjs in
   * the browser would delete formatting that looks redundant until the next part arrives.
   */
  async apply(
    parts: readonly Uint8Array[],
    { whole, origin = COMMITTED, mayContinue = () => true }: Options,
  ): Promise<void> {
    const document = this.#document;
    const applied = new PartsOrigin(origin);
    /** Whether Yjs was holding back other updates. The parts may apply them, too, but `whole` does not contain them. */
    let othersWaited = false;
    const mayApply = () => {
      othersWaited ||= hasBlockedUpdates(document);
      return !document.isDestroyed && mayContinue();
    };
    const areAllApplied = await applyInParts(document, parts, applied, mayApply);
    const { withheld } = applied;
    const last = withheld.at(-1);
    if (!last || document.isDestroyed) return;
    const publishAs = publishedOrigin(origin);
    const changes = withheld.map(({ change }) => change);
    const bytes = changes.reduce((sum, { length }) => sum + length, 0);
    if (bytes <= MAX_BYTES_AT_ONCE) return last.publish(publishAs, mergeUpdates(changes));
    // Merging more bytes would block the process. The original update is published instead, if the document
    // holds all of it. Otherwise, or if it lacks some changes, all changes are published one by one.
    const isComplete = areAllApplied && !hasBlockedUpdates(document);
    if (whole && isComplete) {
      last.publish(publishAs, whole);
      if (!othersWaited) return;
    }
    for (const { publish } of withheld) publish(publishAs);
  }
}

/**
 * The origin under which an update is published after it was applied in parts. It is `COMMITTED`, since the
 * parts were queued for storing one by one. An update from another process keeps its origin, so that it is
 * not sent to other processes again.
 */
const publishedOrigin = (origin: unknown): TransactionOrigin =>
  isTransactionOrigin(origin) && origin.source === 'redis' ? origin : COMMITTED;
