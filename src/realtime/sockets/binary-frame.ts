/** The FIN bit, and the opcode of a binary frame. */
const FIRST_BYTE = 0x82;
const MAX_LENGTH_IN_7_BITS = 125;
const LENGTH_IN_NEXT_16_BITS = 126;

/** A longer message needs another header, and is too large to be worth a copy. */
export const MAX_FRAMED_BYTES = 0xff_ff;

/**
 * Frames a message of at most `MAX_FRAMED_BYTES` as a server sends it over a WebSocket (RFC 6455,
 * section 5.2).
 */
export function binaryFrame(message: Uint8Array): Buffer {
  const { length } = message;
  const header =
    length <= MAX_LENGTH_IN_7_BITS
      ? [FIRST_BYTE, length]
      : [FIRST_BYTE, LENGTH_IN_NEXT_16_BITS, length >> 8, length & 0xff];
  const frame = Buffer.allocUnsafe(header.length + length);
  frame.set(header);
  frame.set(message, header.length);
  return frame;
}

/**
 * Frames the last message once for all sockets: Hocuspocus passes the same bytes of a broadcast to one
 * socket after the other. `ws` would frame them for each socket and write them in two pieces, and writing
 * is most of the work of a process with many typing users.
 */
export class BroadcastFrames {
  #last: { message: Uint8Array; frame: Buffer } | undefined;

  frameOf(message: Uint8Array): Buffer {
    if (this.#last?.message !== message) this.#last = { message, frame: binaryFrame(message) };
    return this.#last.frame;
  }
}
