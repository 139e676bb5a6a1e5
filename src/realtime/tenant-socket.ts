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

/** A document that the socket has open, or is waiting for. */
interface Addressed {
  /** The address that the client uses, and as it stands at the beginning of a message. */
  outer: string;
  outerHead: Uint8Array;
  /** The one that we use. */
  inner: string;
  innerHead: Uint8Array;
  /** The frame that says that an edit is stored. */
  acknowledgement: Uint8Array;
  /** What the client has said last, if it was a short edit. */
  lastEdit: Uint8Array | undefined;
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
 * It is also the place where acknowledgements wait until an edit is stored, and where a client is
 * spared its own edits, which Hocuspocus tells everybody who has the document open.
 */
export class TenantSocket implements WebSocketLike {
  readonly #socket: WebSocket;
  readonly #connection: Duplex;
  readonly #whenStored: WhenStored;
  /** By the address that the client uses, and by ours. */
  readonly #byOuter = new Map<string, Addressed>();
  readonly #byInner = new Map<string, Addressed>();

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
    const known = this.#byOuter.get(address);
    if (known) {
      if (!this.#opening.add(known.inner, rest.length)) return this.#refuseAll();
      // A copy: what came lies in memory that the socket reads into.
      known.lastEdit = isShortEdit(rest) ? new Uint8Array(rest) : undefined;
      return joined(known.innerHead, rest);
    }
    if (type !== MessageType.Auth) return undefined;
    const admitted = this.#admit(address, readToken(rest));
    return admitted && joined(admitted.innerHead, rest);
  }

  send(data: Uint8Array): void {
    if (this.#socket.readyState !== OPEN) return;
    const message = splitOutgoing(data);
    const { address: inner, rest } = message;
    if (admits(rest)) this.#isAdmitted = true;
    const known = this.#byInner.get(inner);
    if (!known) return;
    // What was merged with edits of others is not the same, and comes back to its author with them.
    if (known.lastEdit && isSame(known.lastEdit, rest)) return;
    this.#deliver(outgoing(message, known));
    if (endsConnection(rest)) this.#release(known);
  }

  /** Says that the client's edit is stored, once everything is that has arrived until now. */
  acknowledge(inner: string): void {
    const known = this.#byInner.get(inner);
    if (!known) return;
    // Only if it is still the same connection to the document.
    const tell = () => {
      if (this.#byInner.get(inner) === known) this.#write(known.acknowledgement);
    };
    const stored = this.#whenStored(documentOf(inner));
    if (stored !== undefined) void stored.then(tell);
    else tell();
  }

  #deliver(message: Uint8Array): void {
    if (message.length <= MAX_FRAMED_BYTES) this.#write(frameOf(message));
    else if (this.#hasRoomFor(message)) this.#socket.send(message);
  }

  #write(frame: Uint8Array): void {
    if (this.#hasRoomFor(frame)) this.#connection.write(frame);
  }

  /** All that is sent is asked for here, refusals too: whatever it is, it waits until it is read. */
  #hasRoomFor({ length }: Uint8Array): boolean {
    if (this.#socket.readyState !== OPEN) return false;
    const hasRoom = this.#socket.bufferedAmount + length <= MAX_BUFFERED_BYTES;
    if (!hasRoom) this.#refuseAll();
    return hasRoom;
  }

  #admit(outer: string, token: string): Addressed | undefined {
    const [name = '', ...session] = outer.split('\0');
    const tenantId = claimedTenant(token);
    if (tenantId === undefined) return this.#refuse(outer, 'PERMISSION_DENIED');
    const parsed = parseClientName(tenantId, name);
    if (!parsed) return this.#refuse(outer, 'INVALID_ARGUMENT');
    if (this.#byOuter.size >= MAX_DOCUMENTS) return this.#refuse(outer, 'RESOURCE_EXHAUSTED');
    const inner = [keyOf(parsed), ...session].join('\0');
    // Two spellings of one name on one socket could not be told apart on the way out.
    if (this.#byInner.has(inner)) return this.#refuse(outer, 'ALREADY_EXISTS');
    if (!this.#opening.begin(inner)) return this.#refuseAll();
    const stored = new OutgoingMessage(outer).writeSyncStatus(true).toUint8Array();
    const addressed: Addressed = {
      outer,
      outerHead: new OutgoingMessage(outer).toUint8Array(),
      inner,
      innerHead: new OutgoingMessage(inner).toUint8Array(),
      // A copy: a small buffer would keep the whole pool that it is a part of.
      acknowledgement: new Uint8Array(binaryFrame(stored)),
      lastEdit: undefined,
    };
    this.#byOuter.set(outer, addressed);
    this.#byInner.set(inner, addressed);
    return addressed;
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
  #release({ outer, inner }: Addressed): void {
    this.#byOuter.delete(outer);
    this.#byInner.delete(inner);
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

function outgoing(message: Translated, { outer, outerHead }: Addressed): Uint8Array {
  if (message.outward?.address !== outer) {
    message.outward = { address: outer, bytes: joined(outerHead, message.rest) };
  }
  return message.outward.bytes;
}

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

const EDIT = 2;
/** What people type. To remember more for each document is not worth its memory. */
const MAX_SHORT_BYTES = 1_024;

const isShortEdit = (rest: Uint8Array): boolean =>
  rest[0] === MessageType.Sync && rest[1] === EDIT && rest.length <= MAX_SHORT_BYTES;

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && Buffer.compare(one, other) === 0;

/** An address is the name of the document, with the client's session behind it if it has one. */
const documentOf = (inner: string): string => inner.split('\0', 1)[0] ?? inner;
