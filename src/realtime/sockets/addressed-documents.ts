import { OutgoingMessage } from '@hocuspocus/server';
import { binaryFrame } from './binary-frame.ts';
import { MessageQueue } from './message-queue.ts';

/** A document that a socket has open, or is waiting for. */
export interface AddressedDocument {
  /** The client's address of the document, and its encoding at the beginning of a message. */
  outer: string;
  outerHead: Uint8Array;
  /** The internal address. */
  inner: string;
  messages: MessageQueue;
  /** The frame that acknowledges a stored edit. */
  acknowledgement: Uint8Array;
  /** The last message of the client, if it was a short edit. */
  lastEdit: Uint8Array | undefined;
  /** The last sync step 1 of the client, until its answer begins. */
  syncStep1: Uint8Array | undefined;
}

/** The documents of one socket, by the client's address and by the internal address. */
export class AddressedDocuments {
  readonly #byOuter = new Map<string, AddressedDocument>();
  readonly #byInner = new Map<string, AddressedDocument>();

  get size(): number {
    return this.#byInner.size;
  }

  byOuter(address: string): AddressedDocument | undefined {
    return this.#byOuter.get(address);
  }

  byInner(address: string): AddressedDocument | undefined {
    return this.#byInner.get(address);
  }

  add(outer: string, inner: string): AddressedDocument {
    const status = new OutgoingMessage(outer).writeSyncStatus(true).toUint8Array();
    const addressed: AddressedDocument = {
      outer,
      outerHead: new OutgoingMessage(outer).toUint8Array(),
      inner,
      messages: new MessageQueue(),
      // The frame is copied, since a small buffer keeps its whole pool in memory.
      acknowledgement: new Uint8Array(binaryFrame(status)),
      lastEdit: undefined,
      syncStep1: undefined,
    };
    this.#byOuter.set(outer, addressed);
    this.#byInner.set(inner, addressed);
    return addressed;
  }

  delete({ outer, inner }: AddressedDocument): void {
    this.#byOuter.delete(outer);
    this.#byInner.delete(inner);
  }
}
