import { MessageType, OutgoingMessage, type WebSocketLike } from '@hocuspocus/server';
import type { WebSocket } from 'ws';
import { keyOf, parseClientName } from '../documents/document-names.ts';
import {
  type AddressedMessage,
  admits,
  claimedTenant,
  copySyncStep1,
  EMPTY_SYNC_STEP_1,
  endsConnection,
  isShortEdit,
  isSyncStep1,
  joined,
  joinedWithRoom,
  splitAddress,
  splitIncoming,
} from './addressed-message.ts';
import type { Admissions } from './admissions.ts';
import { binaryFrame } from './binary-frame.ts';
import { Inbox } from './inbox.ts';
import { MessageRate, OPENINGS } from './message-rate.ts';
import { OpeningDocuments } from './opening-documents.ts';
import type { Outbox } from './outbox.ts';
import { type CloseReason, refuseSocket } from './refusal.ts';

/** Documents that one socket may have open, or be waiting for. */
const MAX_DOCUMENTS = 100;
/** What is around the token is little. */
const MAX_TOKEN_BYTES = 256 * 1024;

/** Gives a promise while something of the document waits to be stored. */
export type WhenStored = (key: string) => Promise<void> | undefined;

interface Parts {
  socket: WebSocket;
  outbox: Outbox;
  whenStored: WhenStored;
  admissions: Admissions;
}

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
  /** What the client has asked last, while the answer to it has not begun. */
  syncStep1: Uint8Array | undefined;
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
  readonly #outbox: Outbox;
  readonly #inbox: Inbox;
  readonly #openings = new MessageRate(OPENINGS);
  readonly #whenStored: WhenStored;
  readonly #admissions: Admissions;
  /** By the address that the client uses, and by ours. */
  readonly #byOuter = new Map<string, Addressed>();
  readonly #byInner = new Map<string, Addressed>();

  readonly #opening = new OpeningDocuments();
  #isAdmitted = false;

  constructor({ socket, outbox, whenStored, admissions }: Parts) {
    this.#socket = socket;
    this.#outbox = outbox;
    this.#inbox = new Inbox(socket);
    this.#whenStored = whenStored;
    this.#admissions = admissions;
    admissions.begin(socket);
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
    const { address, rest, type } = splitIncoming(data);
    const known = this.#byOuter.get(address);
    if (known) return this.#receiveFor(known, rest);
    if (type !== MessageType.Auth) return undefined;
    if (rest.length > MAX_TOKEN_BYTES || !this.#openings.take()) return this.#refuseAll();
    const admitted = this.#admit(address, claimedTenant(rest));
    return admitted && joined(admitted.innerHead, rest);
  }

  #receiveFor(known: Addressed, rest: Uint8Array): Uint8Array | undefined {
    if (!this.#opening.add(known.inner, rest.length)) return this.#refuseAll();
    // A copy: what came lies in memory that the socket reads into.
    known.lastEdit = isShortEdit(rest) ? new Uint8Array(rest) : undefined;
    if (!isSyncStep1(rest)) return this.#pass(known, rest);
    const waits = known.syncStep1 !== undefined;
    known.syncStep1 = copySyncStep1(rest);
    // One answer is enough for all that was asked before it begins.
    return waits ? undefined : this.#pass(known, EMPTY_SYNC_STEP_1);
  }

  #pass(known: Addressed, rest: Uint8Array): Uint8Array {
    const message = joinedWithRoom(known.innerHead, rest);
    this.#inbox.add(known.inner, message.length - known.innerHead.length);
    return message;
  }

  /** A message is being handled, of so many bytes without its address. */
  begin(inner: string, bytes: number): void {
    this.#inbox.take(inner, bytes);
  }

  /** What the client has asked last, if that was not answered. */
  takeSyncStep1(inner: string): Uint8Array | undefined {
    const known = this.#byInner.get(inner);
    const syncStep1 = known?.syncStep1;
    if (known) known.syncStep1 = undefined;
    return syncStep1;
  }

  /** Resolves once the client has read most of what it was sent, or has gone. */
  whenRead(): Promise<void> {
    return this.#outbox.whenRead();
  }

  /** Resolves once there is room to send so much (send-budget.ts), with what gives it back. */
  roomFor(bytes: number): Promise<() => void> {
    return this.#outbox.roomFor(bytes);
  }

  /** What the socket holds from now on is this user's. */
  belongTo(userKey: string): void {
    this.#outbox.userKey ||= userKey;
  }

  send(data: Uint8Array): void {
    if (!this.#outbox.isOpen) return;
    const message = splitOutgoing(data);
    const { address: inner, rest } = message;
    if (!this.#isAdmitted && admits(rest)) this.#admitted();
    const known = this.#byInner.get(inner);
    if (!known) return;
    // What was merged with edits of others is not the same, and comes back to its author with them.
    if (known.lastEdit && isSame(known.lastEdit, rest)) return;
    this.#outbox.deliver(outgoing(message, known));
    if (endsConnection(rest)) this.#release(known);
  }

  #admitted(): void {
    this.#isAdmitted = true;
    this.#admissions.end(this.#socket);
  }

  /** Says that the client's edit is stored, once everything is that has arrived until now. */
  acknowledge(inner: string): void {
    const known = this.#byInner.get(inner);
    if (!known) return;
    // Only if it is still the same connection to the document.
    const acknowledge = () => {
      if (this.#byInner.get(inner) === known) this.#outbox.write(known.acknowledgement);
    };
    const stored = this.#whenStored(documentOf(inner));
    if (stored !== undefined) void stored.then(acknowledge);
    else acknowledge();
  }

  #admit(outer: string, tenantId: string | undefined): Addressed | undefined {
    const [name = '', ...session] = outer.split('\0');
    if (tenantId === undefined) return this.#refuse(outer, 'TOKEN_INVALID');
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
      syncStep1: undefined,
    };
    this.#byOuter.set(outer, addressed);
    this.#byInner.set(inner, addressed);
    if (!this.#isAdmitted) this.#admissions.beginCheck(this.#socket);
    return addressed;
  }

  /** The document at this address takes messages as they come from now on. */
  opened(inner: string): void {
    this.#opening.end(inner);
  }

  #refuseAll(): undefined {
    refuseSocket(this.#socket, 'RESOURCE_EXHAUSTED');
  }

  #refuse(address: string, reason: CloseReason): undefined {
    this.#outbox.deliver(new OutgoingMessage(address).writePermissionDenied(reason).toUint8Array());
  }

  /** The next token at this address may be of another tenant. */
  #release({ outer, inner }: Addressed): void {
    this.#byOuter.delete(outer);
    this.#byInner.delete(inner);
    this.#opening.end(inner);
    this.#inbox.drop(inner);
    if (!this.#isAdmitted && this.#byInner.size === 0) this.#admissions.refuse(this.#socket);
  }
}

/** A message of Hocuspocus, and what it becomes for clients who know the document by one address. */
interface Translated extends AddressedMessage {
  data: Uint8Array;
  outward: { address: string; bytes: Uint8Array } | undefined;
}

/** A broadcast hands the same bytes to one socket after the other, so the last are remembered. */
let last: Translated | undefined;

function splitOutgoing(data: Uint8Array): Translated {
  if (last?.data !== data) last = { data, ...splitAddress(data), outward: undefined };
  return last;
}

function outgoing(message: Translated, { outer, outerHead }: Addressed): Uint8Array {
  if (message.outward?.address !== outer) {
    message.outward = { address: outer, bytes: joined(outerHead, message.rest) };
  }
  return message.outward.bytes;
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && Buffer.compare(one, other) === 0;

/** An address is the name of the document, with the client's session behind it if it has one. */
const documentOf = (inner: string): string => inner.split('\0', 1)[0] ?? inner;
