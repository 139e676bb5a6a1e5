import type { Duplex } from 'node:stream';
import {
  IncomingMessage,
  MessageType,
  OutgoingMessage,
  type WebSocketLike,
} from '@hocuspocus/server';
import { decodeJwt } from 'jose';
import type { WebSocket } from 'ws';
import type { Status } from '../platform/errors.ts';
import { binaryFrame, MAX_FRAMED_BYTES } from './binary-frame.ts';
import { keyOf, parseClientName } from './document-names.ts';
import { OpeningDocuments } from './opening-documents.ts';
import { refuseSocket } from './refusal.ts';

/** A client that does not read what it is sent may hold this much of our memory, and no more. */
const MAX_BUFFERED_BYTES = 32 * 1024 * 1024;
/** Documents that one socket may have open, or be waiting for. */
const MAX_DOCUMENTS = 100;
const OPEN = 1;
/** Types of messages are fewer, and so take one byte. */
const NO_TYPE = 128;

/** Gives a promise while something of the document waits to be stored. */
export type WhenStored = (key: string) => Promise<void> | undefined;

interface Inward {
  inner: string;
  head: Uint8Array;
}

interface Outward {
  address: string;
  /** The address as it stands at the beginning of a message. */
  head: Uint8Array;
}

/**
 * Puts the tenant into the name of a document on its way in, and takes it out on its way out.
 *
 * The name that clients send has no tenant in it, and Hocuspocus 4.7 takes the name off the wire,
 * before any hook runs, as the document's identity: `ClientConnection.setUpNewConnection` hands it to
 * `createDocument`, `Connection` drops messages whose address is not `document.name`, and every
 * message out is addressed with that. No hook can change it, and a provider of documents that
 * renamed them would leave connections that drop every message. One Hocuspocus a tenant would do,
 * but a socket meets its instance before its token is known, and each would hold two connections to
 * Redis. So the address is translated here, at the edge, and inside each document has one name.
 *
 * The tenant is read from a token that nobody has verified yet. It is only a claim: authentication
 * verifies the token and compares (authenticate-connection.ts).
 *
 * It is also the place where acknowledgements wait: Hocuspocus confirms an edit once it is in
 * memory, and to the client that is to mean that it is stored.
 */
export class TenantSocket implements WebSocketLike {
  readonly #socket: WebSocket;
  readonly #connection: Duplex;
  readonly #whenStored: WhenStored;
  /** From the address that the client uses to ours, and back. */
  readonly #inward = new Map<string, Inward>();
  readonly #outward = new Map<string, Outward>();

  readonly #opening = new OpeningDocuments();
  #isAdmitted = false;

  constructor(socket: WebSocket, connection: Duplex, whenStored: WhenStored) {
    this.#socket = socket;
    this.#connection = connection;
    this.#whenStored = whenStored;
  }

  /** Whether it has shown a token that is good for a document. */
  get isAdmitted(): boolean {
    return this.#isAdmitted;
  }

  get readyState(): number {
    return this.#socket.readyState;
  }

  close(code?: number, reason?: string): void {
    this.#socket.close(code, reason);
  }

  /**
   * The message as Hocuspocus is to get it. Gives nothing for one that was refused, or that came
   * before its document's token: a client sends all that again after it.
   *
   * @throws Error when it is no message.
   */
  receive(data: Uint8Array): Uint8Array | undefined {
    const { address, rest } = split(data);
    const type = rest[0] ?? NO_TYPE;
    if (type >= NO_TYPE) throw new Error('The message has no type.');
    const known = this.#inward.get(address);
    if (known) {
      if (this.#opening.add(known.inner, rest.length)) return joined(known.head, rest);
      return this.#refuseAll();
    }
    if (type !== MessageType.Auth) return undefined;
    const head = this.#admit(address, readToken(rest));
    return head && joined(head, rest);
  }

  send(data: Uint8Array): void {
    if (this.#socket.readyState !== OPEN) return;
    const message = splitOutgoing(data);
    const { address: inner, rest } = message;
    if (admits(rest)) this.#isAdmitted = true;
    const outward = this.#outward.get(inner);
    if (!outward) return;
    const stored = isAcknowledgement(rest) ? this.#whenStored(documentOf(inner)) : undefined;
    if (stored !== undefined) {
      void stored.then(() => {
        // Only if it is still the same connection to the document.
        if (this.#outward.get(inner) === outward) this.#deliver(joined(outward.head, rest));
      });
      return;
    }
    this.#deliver(outgoing(message, outward));
    if (endsConnection(rest)) this.#release(outward.address, inner);
  }

  /** All that is sent goes this way, refusals too: whatever it is, it waits until it is read. */
  #deliver(message: Uint8Array): void {
    if (this.#socket.readyState !== OPEN) return;
    const wouldWait = this.#socket.bufferedAmount + message.length;
    if (wouldWait > MAX_BUFFERED_BYTES) this.#refuseAll();
    else if (message.length > MAX_FRAMED_BYTES) this.#socket.send(message);
    else this.#connection.write(frameOf(message));
  }

  #admit(address: string, token: string): Uint8Array | undefined {
    const [name = '', ...session] = address.split('\0');
    const tenantId = claimedTenant(token);
    if (tenantId === undefined) return this.#refuse(address, 'PERMISSION_DENIED');
    const parsed = parseClientName(tenantId, name);
    if (!parsed) return this.#refuse(address, 'INVALID_ARGUMENT');
    if (this.#inward.size >= MAX_DOCUMENTS) return this.#refuse(address, 'RESOURCE_EXHAUSTED');
    const inner = [keyOf(parsed), ...session].join('\0');
    // Two spellings of one name on one socket could not be told apart on the way out.
    if (this.#outward.has(inner)) return this.#refuse(address, 'ALREADY_EXISTS');
    if (!this.#opening.begin(inner)) return this.#refuseAll();
    const head = headOf(inner);
    this.#inward.set(address, { inner, head });
    this.#outward.set(inner, { address, head: headOf(address) });
    return head;
  }

  /** The document at this address takes messages as they come from now on. */
  opened(inner: string): void {
    this.#opening.end(inner);
  }

  #refuseAll(): undefined {
    refuseSocket(this.#socket, 'RESOURCE_EXHAUSTED');
  }

  #refuse(address: string, status: Status): undefined {
    this.#deliver(new OutgoingMessage(address).writePermissionDenied(status).toUint8Array());
  }

  /** The next token at this address may be of another tenant. */
  #release(address: string, inner: string): void {
    this.#inward.delete(address);
    this.#outward.delete(inner);
    this.#opening.end(inner);
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

function claimedTenant(token: string): string | undefined {
  try {
    const { key } = decodeJwt<{ key: unknown }>(token);
    return typeof key === 'string' && key !== '' && key.isWellFormed() ? key : undefined;
  } catch {
    return undefined;
  }
}

interface Parts {
  address: string;
  /** What follows the address. */
  rest: Uint8Array;
}

/** A message of Hocuspocus, and what it becomes for clients who know the document by one address. */
interface Translated extends Parts {
  data: Uint8Array;
  outward: { address: string; bytes: Uint8Array } | undefined;
}

let framed: { message: Uint8Array; frame: Buffer } | undefined;

/**
 * Framed once for all who get it, and written in one piece. `ws` would make a frame for each and
 * write it in two, and writing is most of what a process does for many people who type.
 */
function frameOf(message: Uint8Array): Buffer {
  if (framed?.message !== message) framed = { message, frame: binaryFrame(message) };
  return framed.frame;
}

/** A broadcast hands the same bytes to one socket after the other, so the last are remembered. */
let last: Translated | undefined;

function splitOutgoing(data: Uint8Array): Translated {
  if (last?.data !== data) last = { data, ...split(data), outward: undefined };
  return last;
}

/** Of a length, seven bits a byte. */
const MAX_LENGTH_BYTES = 5;

/** As `IncomingMessage` reads it, which makes room for an answer with every message. */
function split(data: Uint8Array): Parts {
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

function outgoing(message: Translated, { address, head }: Outward): Uint8Array {
  if (message.outward?.address !== address) {
    message.outward = { address, bytes: joined(head, message.rest) };
  }
  return message.outward.bytes;
}

const headOf = (address: string): Uint8Array => new OutgoingMessage(address).toUint8Array();

function joined(head: Uint8Array, rest: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(head.length + rest.length);
  bytes.set(head);
  bytes.set(rest, head.length);
  return bytes;
}

const PERMISSION_DENIED = 1;
const AUTHENTICATED = 2;

const admits = ([type, kind]: Uint8Array): boolean =>
  type === MessageType.Auth && kind === AUTHENTICATED;

const endsConnection = ([type, kind]: Uint8Array): boolean =>
  type === MessageType.CLOSE || (type === MessageType.Auth && kind === PERMISSION_DENIED);

const APPLIED = 1;

const isAcknowledgement = ([type, status]: Uint8Array): boolean =>
  type === MessageType.SyncStatus && status === APPLIED;

/** An address is the name of the document, with the client's session behind it if it has one. */
const documentOf = (inner: string): string => inner.split('\0', 1)[0] ?? inner;
