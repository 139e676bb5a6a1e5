import { MessageType, OutgoingMessage } from '@hocuspocus/server';
import type { WebSocket } from 'ws';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import type { CloseReason } from '../refusal.ts';
import { copySyncStep1, isShortEdit, isSyncStep1 } from './addressed-message.ts';
import { type HandleMessage, MessageQueue, type UnhandledMessages } from './message-queue.ts';
import type { Outbox } from './outbox.ts';

/** The client of a socket. */
export interface SocketClient {
  /** The `Origin` header of the connection, if it had one. */
  origin: string | undefined;
  ipAddress: string;
}

interface Dependencies {
  name: LiveDocumentName;
  address: string;
  socket: WebSocket;
  client: SocketClient;
  outbox: Outbox;
  unhandled: UnhandledMessages;
  /** Called when the client has shown a valid token. */
  onAdmitted: () => void;
}

/** A document that the client of a socket has open, or is opening. */
export class DocumentChannel {
  readonly name: LiveDocumentName;
  /** The address in all messages: the name that the client uses, and the client's session if any. */
  readonly address: string;
  readonly socket: WebSocket;
  readonly client: SocketClient;
  readonly outbox: Outbox;
  readonly #unhandled: UnhandledMessages;
  readonly #messages: MessageQueue;
  readonly #onAdmitted: () => void;
  /** The message that acknowledges a stored edit. */
  readonly #acknowledgement: Uint8Array;
  /** The last message of the client, if it was a short edit. */
  #lastEdit: Uint8Array | undefined;
  /** The last sync step 1 of the client, until the server begins to reply to it. */
  #syncStep1: Uint8Array | undefined;
  /** The messages that the client has sent since it left the document; undefined while it has not left. */
  #sentSinceLeaving: Uint8Array[] | undefined;
  /** Called when the socket is closed. */
  onSocketClosed: (event: { code: number; reason: string }) => void = () => undefined;

  constructor({ name, address, socket, client, outbox, unhandled, onAdmitted }: Dependencies) {
    this.name = name;
    this.address = address;
    this.socket = socket;
    this.client = client;
    this.outbox = outbox;
    this.#unhandled = unhandled;
    this.#messages = new MessageQueue(unhandled);
    this.#onAdmitted = onAdmitted;
    this.#acknowledgement = this.#newMessage().writeSyncStatus(true).toUint8Array();
  }

  /**
   * Queues a message of the client. Once the client has left, its messages are kept for its next connection
   * at this address.
   *
   * @param data the whole message
   * @param rest the part after the address
   */
  receive(data: Uint8Array, rest: Uint8Array): void {
    if (this.#sentSinceLeaving) {
      const copy = new Uint8Array(data);
      this.#unhandled.add(copy);
      this.#sentSinceLeaving.push(copy);
      return;
    }
    if (rest[0] === MessageType.CLOSE) this.#sentSinceLeaving = [];
    // The message is copied, since the socket reuses the memory of the received data.
    this.#lastEdit = isShortEdit(rest) ? new Uint8Array(data) : undefined;
    const message = isSyncStep1(rest) ? copySyncStep1(rest) : new Uint8Array(rest);
    // If several of these arrive before the server begins to reply, it replies to the last one only.
    if (isSyncStep1(rest)) this.#syncStep1 = message;
    this.#messages.add(message);
  }

  /** Takes the last sync step 1 of the client, if the server has not begun to reply to it. */
  takeSyncStep1(): Uint8Array | undefined {
    const syncStep1 = this.#syncStep1;
    this.#syncStep1 = undefined;
    return syncStep1;
  }

  /** Tells the client that its token is valid, and whether it may only read. */
  admit(isReadOnly: boolean): void {
    this.#onAdmitted();
    this.#deliver(this.#newMessage().writeAuthenticated(isReadOnly).toUint8Array());
  }

  refuse(reason: CloseReason): void {
    this.#deliver(this.#newMessage().writePermissionDenied(reason).toUint8Array());
  }

  /** Sends a message, except the client's own edit, which Hocuspocus passes to every connection. */
  send(message: Uint8Array): void {
    // An edit that was merged with others' edits is a different message, which its author receives as well.
    if (this.#lastEdit && isSame(this.#lastEdit, message)) return;
    this.#deliver(message);
  }

  /** Sends a message, unless the client has left: it would take the message for one of its next connection. */
  #deliver(message: Uint8Array): void {
    if (!this.#sentSinceLeaving) this.outbox.deliver(message);
  }

  /** Acknowledges an edit of the client. */
  acknowledge(): void {
    this.#deliver(this.#acknowledgement);
  }

  /** Call this when the document is open. The client's messages are handled from now on. */
  startHandling(handle: HandleMessage): void {
    this.#messages.startHandling(handle);
  }

  /** Resolves once the messages that have arrived are handled; undefined while there are none. */
  get handled(): Promise<void> | undefined {
    return this.#messages.handled;
  }

  /**
   * Drops the waiting messages, and tells a client that has left that nothing more follows.
   *
   * @returns what the client has sent since it left the document
   */
  drop(): Uint8Array[] {
    this.#messages.drop();
    const messages = this.#sentSinceLeaving;
    if (!messages) return [];
    for (const message of messages) this.#unhandled.remove(message);
    this.outbox.deliver(this.#newMessage().writeCloseMessage(LEFT_REASON).toUint8Array());
    return messages;
  }

  #newMessage(): OutgoingMessage {
    return new OutgoingMessage(this.address);
  }
}

/** The close reason that Hocuspocus uses after a client has left. */
const LEFT_REASON = 'provider_initiated';

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && Buffer.compare(one, other) === 0;
