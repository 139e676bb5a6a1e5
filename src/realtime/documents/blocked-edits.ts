import type { Document } from '@hocuspocus/server';
import { decodeUpdateV2, getState, parseUpdateMetaV2 } from 'yjs';

const NO_DELETIONS: Uint8Array = new Uint8Array();

/** An edit that adds or deletes items from a clock of a Yjs client on. */
interface BlockedEdit {
  client: number;
  clock: number;
  /** The user who sent it. */
  userId: string;
}

/**
 * The edits of clients that wait in Yjs for missing edits to which they refer. They are in no content and in no
 * log until an update from elsewhere brings the missing edits. That update then contains the blocked edits, too.
 */
export class BlockedEdits {
  readonly #document: Document;
  /** The first blocked edit of each Yjs client. */
  #blocked: ReadonlyMap<number, BlockedEdit> = new Map();
  /** The items and deletions that were blocked in Yjs after the last transaction, also those from elsewhere. */
  #items: Uint8Array | undefined;
  #deletions = NO_DELETIONS;

  constructor(document: Document) {
    this.#document = document;
  }

  /** An edit that was blocked after the last transaction, and is in the document now. */
  get unblocked(): BlockedEdit | undefined {
    return [...this.#blocked.values()].find(({ client, clock }) => clock < this.#stateOf(client));
  }

  /**
   * Call this after each transaction.
   *
   * @param userId the user whose edits it applied; undefined for edits from elsewhere, which others store
   */
  update(userId: string | undefined): void {
    const { pendingStructs, pendingDs } = this.#document.store;
    const [items, deletions] = [pendingStructs?.update, pendingDs ?? NO_DELETIONS];
    // Yjs encodes deletions again in each transaction.
    const isSame = items === this.#items && Buffer.compare(deletions, this.#deletions) === 0;
    [this.#items, this.#deletions] = [items, deletions];
    if (isSame || (userId === undefined && this.#blocked.size === 0)) return;
    const blocked = new Map<number, BlockedEdit>();
    for (const [client, clock] of this.#blockedClocks()) {
      const sender = this.#blocked.get(client)?.userId ?? userId;
      // Yjs may keep an edit that has arrived in another update.
      if (sender === undefined || clock < this.#stateOf(client)) continue;
      const first = Math.min(clock, blocked.get(client)?.clock ?? clock);
      blocked.set(client, { client, clock: first, userId: sender });
    }
    this.#blocked = blocked;
  }

  /** The clocks at which the blocked items of each Yjs client begin, and the blocked deletions. */
  #blockedClocks(): Array<[client: number, clock: number]> {
    const items = this.#items ? parseUpdateMetaV2(this.#items).from : [];
    const deletions =
      this.#deletions === NO_DELETIONS ? [] : decodeUpdateV2(this.#deletions).ds.clients;
    return [
      ...items,
      ...[...deletions].flatMap(([client, ranges]) =>
        ranges.map(({ clock }): [number, number] => [client, clock]),
      ),
    ];
  }

  #stateOf(client: number): number {
    return getState(this.#document.store, client);
  }
}
