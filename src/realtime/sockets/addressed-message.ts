import { IncomingMessage, MessageType } from '@hocuspocus/server';
import { messageYjsSyncStep1, messageYjsUpdate } from 'y-protocols/sync';
import { claimedKey } from '../../api/credentials/user-tokens.ts';
import { id } from '../../api/fields.ts';

/** A message of the Hocuspocus protocol, split into the address of its document and the rest. */
export interface AddressedMessage {
  address: string;
  rest: Uint8Array;
}

/** The largest message type that takes one byte. No larger one is in use. */
const MAX_TYPE = 127;
/** The most bytes of a length, which is encoded with seven bits in each byte, the lowest bits first. */
const MAX_LENGTH_BYTES = 5;

/**
 * Reads the address as `IncomingMessage` does, but without allocating a reply for each message.
 *
 * @throws Error when the message is malformed.
 */
function splitAddress(data: Uint8Array): AddressedMessage {
  let length = 0;
  let start = 0;
  let isLastByte = false;
  while (!isLastByte && start < MAX_LENGTH_BYTES) {
    const byte = data[start] ?? 0;
    length += (byte % 128) * 128 ** start;
    isLastByte = byte < 128;
    start++;
  }
  const end = start + length;
  if (end > data.length) throw new Error('The message is cut off.');
  const address = Buffer.from(data.buffer, data.byteOffset + start, length).toString();
  return { address, rest: data.subarray(end) };
}

/** Splits a message of a client, and reads its type. @throws Error when the message is malformed. */
export function splitIncoming(data: Uint8Array): AddressedMessage & { type: number } {
  const message = splitAddress(data);
  const [type] = message.rest;
  if (type === undefined || type > MAX_TYPE) throw new Error('The message has no type.');
  return { ...message, type };
}

/** Returns the tenant that an unverified token names; undefined when it is not a valid id. */
export const claimedTenant = (token: string): string | undefined =>
  id.safeParse(claimedKey(token)).data;

/** Reads the token of an authentication message, after two type numbers. @throws Error when there is none. */
export function readToken(rest: Uint8Array): string {
  const message = new IncomingMessage(rest);
  message.readVarUint();
  message.readVarUint();
  return message.readVarString();
}

/** The longest edit that is remembered for each document. Edits made by typing are shorter. */
const MAX_SHORT_EDIT_BYTES = 1_024;
/** Room for the state vector of some ten thousand Yjs clients. */
const MAX_SYNC_STEP_1_BYTES = 128 * 1024;

export const isShortEdit = (rest: Uint8Array): boolean =>
  rest[0] === MessageType.Sync &&
  rest[1] === messageYjsUpdate &&
  rest.length <= MAX_SHORT_EDIT_BYTES;

/** Whether a message is sync step 1, which requests the content of a document. */
export const isSyncStep1 = (rest: Uint8Array): boolean =>
  rest[0] === MessageType.Sync && rest[1] === messageYjsSyncStep1;

/** Sync step 1 with an empty state vector, which requests the whole document. */
const EMPTY_SYNC_STEP_1 = Uint8Array.of(MessageType.Sync, messageYjsSyncStep1, 1, 0);

/**
 * Copies sync step 1, since the socket reuses the memory of the received message. A request that is too long
 * becomes a request for the whole document.
 */
export const copySyncStep1 = (rest: Uint8Array): Uint8Array =>
  rest.length <= MAX_SYNC_STEP_1_BYTES ? new Uint8Array(rest) : EMPTY_SYNC_STEP_1;

/** Returns the state vector of sync step 1. @throws Error when it has none. */
export function stateVectorOf(syncStep1: Uint8Array): Uint8Array {
  const message = new IncomingMessage(syncStep1);
  message.readVarUint();
  message.readVarUint();
  return message.readVarUint8Array();
}
