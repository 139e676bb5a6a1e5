import type { Document } from '@hocuspocus/server';
import { decodeUpdateV2, getState, parseUpdateMetaV2 } from 'yjs';

const NONE: Uint8Array = new Uint8Array();

/** An edit that begins at a clock of a Yjs client, or deletes from there. */
interface WaitingEdit {
  client: number;
  clock: number;
  /** The user who sent it. */
  userId: string;
}

/**
 * The edits of clients that wait in Yjs for edits that they refer to. They are in no content and in no log until an
 * update from elsewhere brings what they refer to, and then contains them as well.
 */
export class WaitingEdits {
  readonly #document: Document;
  /** The first waiting edit at each Yjs client. */
  #waiting: ReadonlyMap<number, WaitingEdit> = new Map();
  /** The items and deletions that waited in Yjs after the last transaction, those from elsewhere among them. */
  #items: Uint8Array | undefined;
  #deletions = NONE;

  constructor(document: Document) {
    this.#document = document;
  }

  /** An edit that waited after the last transaction, and is in the document now. */
  get arrived(): WaitingEdit | undefined {
    return [...this.#waiting.values()].find(({ client, clock }) => clock < this.#stateOf(client));
  }

  /**
   * Call this after each transaction.
   *
   * @param userId the user whose edits it applied; undefined for edits from elsewhere, which other processes store
   */
  update(userId: string | undefined): void {
    const { pendingStructs, pendingDs } = this.#document.store;
    const [items, deletions] = [pendingStructs?.update, pendingDs ?? NONE];
    // Yjs encodes deletions again in each transaction.
    const isSame = items === this.#items && Buffer.compare(deletions, this.#deletions) === 0;
    [this.#items, this.#deletions] = [items, deletions];
    if (isSame || (userId === undefined && this.#waiting.size === 0)) return;
    const waiting = new Map<number, WaitingEdit>();
    for (const [client, clock] of this.#pendingClocks()) {
      const sender = this.#waiting.get(client)?.userId ?? userId;
      // Yjs may keep an edit that has arrived in another update.
      if (sender === undefined || clock < this.#stateOf(client)) continue;
      const first = Math.min(clock, waiting.get(client)?.clock ?? clock);
      waiting.set(client, { client, clock: first, userId: sender });
    }
    this.#waiting = waiting;
  }

  /** The clocks at which items of each Yjs client begin to wait, and those of waiting deletions. */
  #pendingClocks(): Array<[client: number, clock: number]> {
    const items = this.#items ? parseUpdateMetaV2(this.#items).from : [];
    const deletions = this.#deletions === NONE ? [] : decodeUpdateV2(this.#deletions).ds.clients;
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
