import type { Document } from '@hocuspocus/server';
import { decodeUpdateV2, getState, parseUpdateMetaV2 } from 'yjs';

const NO_DELETIONS: Uint8Array = new Uint8Array();

/** An edit that adds or deletes items of a Yjs client from this clock on. */
interface BlockedEdit {
  client: number;
  clock: number;
  /** The user who sent it. */
  userId: string;
}

/**
 * Edits of clients that Yjs holds back because they refer to missing edits. They are neither in the content
 * nor in the log until an update from elsewhere brings the missing edits. Yjs then adds the blocked edits to
 * the change that this update makes.
 */
export class BlockedEdits {
  readonly #document: Document;
  /** The first blocked edit of each Yjs client. */
  #blocked: ReadonlyMap<number, BlockedEdit> = new Map();
  /** The items and deletions that were blocked after the last transaction, including those from elsewhere. */
  #items: Uint8Array | undefined;
  #deletions = NO_DELETIONS;

  constructor(document: Document) {
    this.#document = document;
  }

  /** One of the edits that were blocked after the last transaction, and are in the document now. */
  get unblockedEdit(): BlockedEdit | undefined {
    return [...this.#blocked.values()].find(({ client, clock }) => clock < this.#stateOf(client));
  }

  /**
   * Records which edits are blocked. Call this after each transaction.
   *
   * @param userId the user whose edits the transaction applied; undefined for edits that another process stores
   */
  update(userId: string | undefined): void {
    const { pendingStructs, pendingDs } = this.#document.store;
    const items = pendingStructs?.update;
    const deletions = pendingDs ?? NO_DELETIONS;
    // Yjs encodes deletions anew in each transaction, so their bytes are compared.
    const isSame = items === this.#items && Buffer.compare(deletions, this.#deletions) === 0;
    this.#items = items;
    this.#deletions = deletions;
    if (isSame || (userId === undefined && this.#blocked.size === 0)) return;
    const blocked = new Map<number, BlockedEdit>();
    for (const [client, clock] of this.#blockedClocks()) {
      const sender = this.#blocked.get(client)?.userId ?? userId;
      // Yjs may still hold back a copy of an edit that another update has brought into the document.
      if (sender === undefined || clock < this.#stateOf(client)) continue;
      const first = Math.min(clock, blocked.get(client)?.clock ?? clock);
      blocked.set(client, { client, clock: first, userId: sender });
    }
    this.#blocked = blocked;
  }

  /** Returns the Yjs clients of blocked items and deletions, with the clocks at which these begin. */
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
