import type { AddressedDocument } from './addressed-documents.ts';
import { type AddressedMessage, joinAddress, splitAddress } from './addressed-message.ts';
import { binaryFrame } from './binary-frame.ts';

/**
 * Caches the last result of each step of sending. Hocuspocus passes the same bytes of a broadcast
 * to many sockets in turn, so the message is split, translated and framed once for all of them.
 */
export class BroadcastCache {
  #split: (AddressedMessage & { data: Uint8Array }) | undefined;
  #translated: { rest: Uint8Array; clientAddress: string; bytes: Uint8Array } | undefined;
  #framed: { message: Uint8Array; frame: Buffer } | undefined;

  /** @throws Error when the message is malformed. */
  split(data: Uint8Array): AddressedMessage {
    if (this.#split?.data !== data) this.#split = { data, ...splitAddress(data) };
    return this.#split;
  }

  /** Returns the message with the client's address instead of the internal one. */
  translate(
    { rest }: AddressedMessage,
    {
      clientAddress,
      clientAddressHead,
    }: Pick<AddressedDocument, 'clientAddress' | 'clientAddressHead'>,
  ): Uint8Array {
    const last = this.#translated;
    if (last?.rest === rest && last.clientAddress === clientAddress) return last.bytes;
    const bytes = joinAddress(clientAddressHead, rest);
    this.#translated = { rest, clientAddress, bytes };
    return bytes;
  }

  /**
   * Frames a message. `ws` would frame it for each receiver and write it in two pieces, and writing is
   * most of the work of a process with many typing users.
   */
  frame(message: Uint8Array): Buffer {
    if (this.#framed?.message !== message) this.#framed = { message, frame: binaryFrame(message) };
    return this.#framed.frame;
  }
}
