import { OutgoingMessage } from '@hocuspocus/server';
import { binaryFrame } from './binary-frame.ts';
import { MessageQueue } from './message-queue.ts';

/** A document that a socket has open, or is waiting for. */
export interface AddressedDocument {
  /** The address that the client uses, and its encoding at the beginning of a message. */
  clientAddress: string;
  clientAddressHead: Uint8Array;
  /** The address that Hocuspocus uses: the document's key, and the client's session if any. */
  internalAddress: string;
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
  readonly #byClientAddress = new Map<string, AddressedDocument>();
  readonly #byInternalAddress = new Map<string, AddressedDocument>();

  get size(): number {
    return this.#byInternalAddress.size;
  }

  byClientAddress(address: string): AddressedDocument | undefined {
    return this.#byClientAddress.get(address);
  }

  byInternalAddress(address: string): AddressedDocument | undefined {
    return this.#byInternalAddress.get(address);
  }

  add(clientAddress: string, internalAddress: string): AddressedDocument {
    const status = new OutgoingMessage(clientAddress).writeSyncStatus(true).toUint8Array();
    const document: AddressedDocument = {
      clientAddress,
      clientAddressHead: new OutgoingMessage(clientAddress).toUint8Array(),
      internalAddress,
      messages: new MessageQueue(),
      // The frame is copied, since a small buffer keeps its whole pool in memory.
      acknowledgement: new Uint8Array(binaryFrame(status)),
      lastEdit: undefined,
      syncStep1: undefined,
    };
    this.#byClientAddress.set(clientAddress, document);
    this.#byInternalAddress.set(internalAddress, document);
    return document;
  }

  delete({ clientAddress, internalAddress }: AddressedDocument): void {
    this.#byClientAddress.delete(clientAddress);
    this.#byInternalAddress.delete(internalAddress);
  }
}
