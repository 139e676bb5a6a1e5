import { MessageType, OutgoingMessage } from '@hocuspocus/server';
import type { WebSocket } from 'ws';
import { nextTurn } from '../../platform/event-loop.ts';
import { TokenBucket } from '../../platform/limits/token-bucket.ts';
import { parseClientName } from '../document-names.ts';
import { type CloseReason, REFUSED, refuseSocket } from '../refusal.ts';
import { claimedTenant, readToken, splitIncoming } from './addressed-message.ts';
import type { Admissions } from './admissions.ts';
import { DocumentChannel, type SocketClient } from './document-channel.ts';
import { allowLargeMessages, MAX_TOKEN_BYTES } from './message-limit.ts';
import { UnhandledMessages } from './message-queue.ts';
import type { Outbox } from './outbox.ts';

/** How often a socket may open a document. A client reopens all its documents when the network comes back. */
const OPENING_RATE = { perSecond: 10, burst: 200 };

/** The most documents that one socket may have open or be opening. */
const MAX_DOCUMENTS = 100;

const PROTOCOL_ERROR = 1002;

interface Dependencies {
  socket: WebSocket;
  client: SocketClient;
  outbox: Outbox;
  admissions: Admissions;
  /**
   * Opens a document for a client that has sent this token. Resolves once the connection has ended, or
   * was refused. Never rejects.
   */
  openDocument: (channel: DocumentChannel, token: string) => Promise<void>;
}

/**
 * The documents that an editor opens over one socket. The document name that a client sends does not
 * include the tenant, so the tenant is read from the token. That tenant is only a claim until
 * authentication has verified the token (authenticate-connection.ts).
 */
export class EditorSocket {
  readonly #deps: Dependencies;
  readonly #unhandled: UnhandledMessages;
  readonly #openings = new TokenBucket(OPENING_RATE);
  /** The documents' channels, by the addresses that the client uses. */
  readonly #channels = new Map<string, DocumentChannel>();
  /** Whether the client has shown a valid token for a document. */
  isAdmitted = false;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#unhandled = new UnhandledMessages(deps.socket);
    deps.admissions.add(deps.socket);
  }

  /**
   * Handles a message of the client. The first token for a document opens it, and later messages are queued
   * for that document. A message that arrives before its document's token is dropped: a client
   * sends everything again after the token. A malformed message closes the socket.
   */
  receive(data: Uint8Array): void {
    try {
      this.#receive(data);
    } catch {
      this.#deps.socket.close(PROTOCOL_ERROR);
    }
  }

  /** @throws Error when the message is malformed. */
  #receive(data: Uint8Array): void {
    const { address, rest, type } = splitIncoming(data);
    const channel = this.#channels.get(address);
    if (channel) channel.receive(data, rest);
    else if (type === MessageType.Auth) this.#receiveToken(address, rest);
  }

  #receiveToken(address: string, rest: Uint8Array): void {
    if (rest.length > MAX_TOKEN_BYTES || !this.#openings.spend()) {
      refuseSocket(this.#deps.socket, 'RESOURCE_EXHAUSTED');
      return;
    }
    const token = readToken(rest);
    const channel = this.#addChannel(address, claimedTenant(token));
    if (channel) void this.#open(channel, token);
  }

  /** Ends the connections of a closed socket. */
  close(event: { code: number; reason: string }): void {
    for (const channel of this.#channels.values()) channel.onSocketClosed(event);
  }

  #addChannel(address: string, tenantId: string | undefined): DocumentChannel | undefined {
    const [clientName = ''] = address.split('\0');
    if (tenantId === undefined) return this.#refuse(address, 'TOKEN_INVALID');
    const name = parseClientName(tenantId, clientName);
    if (!name) return this.#refuse(address, 'INVALID_ARGUMENT');
    if (this.#channels.size >= MAX_DOCUMENTS) return this.#refuse(address, 'RESOURCE_EXHAUSTED');
    const onAdmitted = () => this.#admit();
    const channel = new DocumentChannel({
      ...this.#deps,
      name,
      address,
      unhandled: this.#unhandled,
      onAdmitted,
    });
    this.#channels.set(address, channel);
    return channel;
  }

  #refuse(address: string, reason: CloseReason): undefined {
    const { socket, outbox } = this.#deps;
    socket.emit(REFUSED, reason);
    outbox.deliver(new OutgoingMessage(address).writePermissionDenied(reason).toUint8Array());
  }

  async #open(channel: DocumentChannel, token: string): Promise<void> {
    const { admissions, socket, openDocument } = this.#deps;
    if (!this.isAdmitted) admissions.exempt(socket);
    // Many sockets may send many tokens at once. Each token is checked in its own turn of the event loop.
    await nextTurn();
    await openDocument(channel, token);
    // The next token at this address opens a new channel, perhaps for another tenant.
    this.#channels.delete(channel.address);
    for (const message of channel.drop()) this.receive(message);
    if (!this.isAdmitted && this.#channels.size === 0) admissions.addRefused(socket);
  }

  #admit(): void {
    this.isAdmitted = true;
    allowLargeMessages(this.#deps.socket);
    this.#deps.admissions.remove(this.#deps.socket);
  }
}
