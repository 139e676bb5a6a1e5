import { MessageType, OutgoingMessage, type WebSocketLike } from '@hocuspocus/server';
import type { WebSocket } from 'ws';
import { TokenBucket } from '../../platform/limits/token-bucket.ts';
import { keyOf, parseClientName } from '../document-names.ts';
import { type CloseReason, REFUSED, refuseSocket } from '../refusal.ts';
import { type AddressedDocument, AddressedDocuments } from './addressed-documents.ts';
import {
  admits,
  claimedTenant,
  copySyncStep1,
  endsConnection,
  isShortEdit,
  isSyncStep1,
  joinAddress,
  splitIncoming,
} from './addressed-message.ts';
import type { Admissions } from './admissions.ts';
import type { BroadcastCache } from './broadcast-cache.ts';
import { Inbox } from './inbox.ts';
import { allowLargeMessages } from './message-limit.ts';
import type { HandleMessage } from './message-queue.ts';
import type { Outbox } from './outbox.ts';

/** Each document is opened again when the network comes back. */
const OPENINGS = { perSecond: 10, burst: 200 };

/** Documents that one socket may have open, or be waiting for. */
const MAX_DOCUMENTS = 100;
/** The most bytes of a message with a token. */
const MAX_TOKEN_BYTES = 256 * 1024;

/** Returns a promise while edits of the document wait to be stored, and undefined otherwise. */
export type WhenStored = (key: string) => Promise<void> | undefined;

interface Dependencies {
  socket: WebSocket;
  outbox: Outbox;
  whenStored: WhenStored;
  admissions: Admissions;
  broadcasts: BroadcastCache;
}

/**
 * Adds the tenant to the names of documents in incoming messages, and removes it from outgoing ones.
 *
 * The name that clients send has no tenant in it. Hocuspocus reads the name from the first message,
 * before any hook runs, as the document's identity, and addresses every outgoing message with it. No
 * hook can change it. One Hocuspocus for each tenant would also need no translation, but a socket gets
 * its instance before its token is known, and each instance would hold two connections to Redis.
 *
 * The tenant is read from a token that nobody has verified yet. It is only a claim: authentication
 * verifies the token and compares (authenticate-connection.ts).
 *
 * The socket also delays acknowledgements until an edit is stored, and does not send a client its own
 * edits, which Hocuspocus broadcasts to every connection of the document.
 */
export class TenantSocket implements WebSocketLike {
  readonly #socket: WebSocket;
  readonly outbox: Outbox;
  readonly #inbox: Inbox;
  readonly #openings = new TokenBucket(OPENINGS);
  readonly #whenStored: WhenStored;
  readonly #admissions: Admissions;
  readonly #broadcasts: BroadcastCache;
  readonly #documents = new AddressedDocuments();
  #isAdmitted = false;

  constructor({ socket, outbox, whenStored, admissions, broadcasts }: Dependencies) {
    this.#socket = socket;
    this.outbox = outbox;
    this.#inbox = new Inbox(socket);
    this.#whenStored = whenStored;
    this.#admissions = admissions;
    this.#broadcasts = broadcasts;
    admissions.begin(socket);
  }

  /** Whether the client has shown a valid token for a document. */
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
   * Takes a message of the client. The first token for a document is returned for Hocuspocus, which
   * opens the document; later messages are queued for that document. A message before its document's
   * token is dropped: a client sends everything again after its token.
   *
   * @returns the token with its internal address; undefined for every other message
   * @throws Error when the message is malformed.
   */
  receive(data: Uint8Array): Uint8Array | undefined {
    const { address, rest, type } = splitIncoming(data);
    const document = this.#documents.byClientAddress(address);
    if (document) return this.#receiveFor(document, rest);
    if (type !== MessageType.Auth) return undefined;
    if (rest.length > MAX_TOKEN_BYTES || !this.#openings.spend()) return this.#refuseAll();
    const admitted = this.#admit(address, claimedTenant(rest));
    return (
      admitted && joinAddress(new OutgoingMessage(admitted.internalAddress).toUint8Array(), rest)
    );
  }

  #receiveFor(document: AddressedDocument, rest: Uint8Array): undefined {
    if (isSyncStep1(rest)) return this.#receiveSyncStep1(document, rest);
    // The message is copied, since the socket reuses the memory of the received data.
    const message = new Uint8Array(rest);
    document.lastEdit = isShortEdit(message) ? message : undefined;
    this.#queue(document, message);
  }

  /** The last sync step 1 is answered, for all that arrive before its answer begins. */
  #receiveSyncStep1(document: AddressedDocument, rest: Uint8Array): undefined {
    document.lastEdit = undefined;
    document.syncStep1 = copySyncStep1(rest);
    this.#queue(document, document.syncStep1);
  }

  #queue(document: AddressedDocument, message: Uint8Array): void {
    this.#inbox.add(document.internalAddress, message.length);
    document.messages.add(message);
  }

  /** Takes the last unanswered sync step 1 of the client. */
  takeSyncStep1(internalAddress: string): Uint8Array | undefined {
    const document = this.#documents.byInternalAddress(internalAddress);
    const syncStep1 = document?.syncStep1;
    if (document) document.syncStep1 = undefined;
    return syncStep1;
  }

  send(data: Uint8Array): void {
    if (!this.outbox.isOpen) return;
    const message = this.#broadcasts.split(data);
    const { address: internalAddress, rest } = message;
    if (!this.#isAdmitted && admits(rest)) this.#endAdmission();
    const document = this.#documents.byInternalAddress(internalAddress);
    if (!document) return;
    // An edit that was merged with edits of others differs, and is sent to its author with them.
    if (document.lastEdit && isSame(document.lastEdit, rest)) return;
    this.outbox.deliver(this.#broadcasts.translate(message, document));
    if (endsConnection(rest)) this.#release(document);
  }

  #endAdmission(): void {
    this.#isAdmitted = true;
    allowLargeMessages(this.#socket);
    this.#admissions.end(this.#socket);
  }

  /** Acknowledges the client's edit once all edits that have arrived are stored. */
  acknowledge(internalAddress: string): void {
    const document = this.#documents.byInternalAddress(internalAddress);
    if (!document) return;
    // The acknowledgement is for this connection to the document only.
    const acknowledge = () => {
      if (this.#documents.byInternalAddress(internalAddress) === document)
        this.outbox.write(document.acknowledgement);
    };
    const stored = this.#whenStored(keyIn(internalAddress));
    if (stored !== undefined) void stored.then(acknowledge);
    else acknowledge();
  }

  #admit(clientAddress: string, tenantId: string | undefined): AddressedDocument | undefined {
    const [name = '', ...session] = clientAddress.split('\0');
    if (tenantId === undefined) return this.#refuse(clientAddress, 'TOKEN_INVALID');
    const parsed = parseClientName(tenantId, name);
    if (!parsed) return this.#refuse(clientAddress, 'INVALID_ARGUMENT');
    if (this.#documents.size >= MAX_DOCUMENTS)
      return this.#refuse(clientAddress, 'RESOURCE_EXHAUSTED');
    const internalAddress = [keyOf(parsed), ...session].join('\0');
    // Outgoing messages could not distinguish two spellings of one name on one socket.
    if (this.#documents.byInternalAddress(internalAddress))
      return this.#refuse(clientAddress, 'ALREADY_EXISTS');
    const document = this.#documents.add(clientAddress, internalAddress);
    if (!this.#isAdmitted) this.#admissions.beginCheck(this.#socket);
    return document;
  }

  /** Call this when the document at this address is open: its messages are handled from now on. */
  opened(internalAddress: string, handle: HandleMessage): void {
    this.#documents.byInternalAddress(internalAddress)?.messages.open((message) => {
      this.#inbox.take(internalAddress, message.length);
      return handle(message);
    });
  }

  #refuseAll(): undefined {
    refuseSocket(this.#socket, 'RESOURCE_EXHAUSTED');
  }

  #refuse(address: string, reason: CloseReason): undefined {
    this.#socket.emit(REFUSED, reason);
    this.outbox.deliver(new OutgoingMessage(address).writePermissionDenied(reason).toUint8Array());
  }

  /** Frees the address, since its next token may be of another tenant. */
  #release(document: AddressedDocument): void {
    const { internalAddress } = document;
    this.#documents.delete(document);
    this.#inbox.drop(internalAddress);
    document.messages.drop();
    if (!this.#isAdmitted && this.#documents.size === 0) this.#admissions.refuse(this.#socket);
  }
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && Buffer.compare(one, other) === 0;

const keyIn = (internalAddress: string): string =>
  internalAddress.split('\0', 1)[0] ?? internalAddress;
