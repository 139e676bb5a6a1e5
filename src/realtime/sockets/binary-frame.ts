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
