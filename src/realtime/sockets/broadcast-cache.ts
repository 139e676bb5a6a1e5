import type { AddressedDocument } from './addressed-documents.ts';
import { type AddressedMessage, joined, splitAddress } from './addressed-message.ts';
import { binaryFrame } from './binary-frame.ts';

/**
 * Keeps what was last made of a message, since Hocuspocus passes the same bytes of a broadcast to many
 * sockets in turn: it is translated and framed once for all of them.
 */
export class BroadcastCache {
  #split: (AddressedMessage & { data: Uint8Array }) | undefined;
  #translated: { rest: Uint8Array; outer: string; bytes: Uint8Array } | undefined;
  #framed: { message: Uint8Array; frame: Buffer } | undefined;

  /** @throws Error when the message is malformed. */
  split(data: Uint8Array): AddressedMessage {
    if (this.#split?.data !== data) this.#split = { data, ...splitAddress(data) };
    return this.#split;
  }

  /** Replaces the internal address of a message by the client's. */
  translate(
    { rest }: AddressedMessage,
    { outer, outerHead }: Pick<AddressedDocument, 'outer' | 'outerHead'>,
  ): Uint8Array {
    const last = this.#translated;
    if (last?.rest === rest && last.outer === outer) return last.bytes;
    const bytes = joined(outerHead, rest);
    this.#translated = { rest, outer, bytes };
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
