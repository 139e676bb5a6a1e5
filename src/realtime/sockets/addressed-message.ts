import { IncomingMessage, MessageType } from '@hocuspocus/server';
import { decodeJwt } from 'jose';
import { id } from '../../api/fields.ts';

/** A message of the protocol: the address of a document, and what follows it. */
export interface AddressedMessage {
  address: string;
  rest: Uint8Array;
}

/** Types of messages are fewer, and so take one byte. */
const NO_TYPE = 128;
/** Of a length, seven bits a byte. */
const MAX_LENGTH_BYTES = 5;

/**
 * As `IncomingMessage` reads it, which makes room for an answer with every message.
 *
 * @throws Error when it is no message.
 */
export function splitAddress(data: Uint8Array): AddressedMessage {
  let [length, at, scale] = [0, 0, 1];
  for (let byte = 128; byte >= 128 && at < MAX_LENGTH_BYTES; scale *= 128) {
    byte = data[at++] ?? 0;
    length += (byte % 128) * scale;
  }
  const end = at + length;
  if (end > data.length) throw new Error('The message is cut off.');
  const address = Buffer.from(data.buffer, data.byteOffset + at, length).toString();
  return { address, rest: data.subarray(end) };
}

/** @throws Error when it is no message. */
export function splitIncoming(data: Uint8Array): AddressedMessage & { type: number } {
  const message = splitAddress(data);
  const type = message.rest[0] ?? NO_TYPE;
  if (type >= NO_TYPE) throw new Error('The message has no type.');
  return { ...message, type };
}

export function joined(head: Uint8Array, rest: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(head.length + rest.length);
  bytes.set(head);
  bytes.set(rest, head.length);
  return bytes;
}

/** A message with at least one byte behind its type, where there is room to silence it. */
export function joinedWithRoom(head: Uint8Array, rest: Uint8Array): Uint8Array {
  return joined(head, rest.length > 1 ? rest : joined(rest, Uint8Array.of(0)));
}

/** The tenant that a message with a token claims to be of, unless no tenant has such an id. */
export function claimedTenant(rest: Uint8Array): string | undefined {
  const token = readToken(rest);
  try {
    return id.safeParse(decodeJwt<{ key: unknown }>(token).key).data;
  } catch {
    return undefined;
  }
}

/** The token, behind two kinds that tell what message it is, and perhaps before the client's version. */
function readToken(rest: Uint8Array): string {
  const message = new IncomingMessage(rest);
  message.readVarUint();
  message.readVarUint();
  const token = message.readVarString();
  if (message.decoder.pos < message.decoder.arr.length) message.readVarString();
  return token;
}

const PERMISSION_DENIED = 1;
const AUTHENTICATED = 2;

export const admits = ([type, kind]: Uint8Array): boolean =>
  type === MessageType.Auth && kind === AUTHENTICATED;

export const endsConnection = ([type, kind]: Uint8Array): boolean =>
  type === MessageType.CLOSE || (type === MessageType.Auth && kind === PERMISSION_DENIED);

const SYNC_STEP_1 = 0;
const UPDATE = 2;
/** What people type. To remember more for each document is not worth its memory. */
const MAX_SHORT_BYTES = 1_024;
/** Of some ten thousand clients. Whoever knows more gets everything, which is as good. */
const MAX_SYNC_STEP_1_BYTES = 128 * 1024;

export const isShortEdit = (rest: Uint8Array): boolean =>
  rest[0] === MessageType.Sync && rest[1] === UPDATE && rest.length <= MAX_SHORT_BYTES;

/** Whether it asks for what a document holds. */
export const isSyncStep1 = (rest: Uint8Array): boolean =>
  rest[0] === MessageType.Sync && rest[1] === SYNC_STEP_1;

/** A question without a state vector of its own. */
export const EMPTY_SYNC_STEP_1 = Uint8Array.of(MessageType.Sync, SYNC_STEP_1, 1, 0);

/** A copy of a question that may be kept: what came lies in memory that the socket reads into. */
export const copySyncStep1 = (rest: Uint8Array): Uint8Array =>
  rest.length <= MAX_SYNC_STEP_1_BYTES ? new Uint8Array(rest) : EMPTY_SYNC_STEP_1;

/** The state vector of a question. @throws Error when it has none. */
export function stateVectorOf(question: Uint8Array): Uint8Array {
  const message = new IncomingMessage(question);
  message.readVarUint();
  message.readVarUint();
  return message.readVarUint8Array();
}
