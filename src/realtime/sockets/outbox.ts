import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { refuseSocket } from '../refusal.ts';
import { type BroadcastFrames, MAX_FRAMED_BYTES } from './binary-frame.ts';
import type { SendBudget, SlowConsumer } from './send-budget.ts';

/** The most memory that a client may occupy by not reading. */
const MAX_BUFFERED_BYTES = 32 * 1024 * 1024;
/** A client receives the next large sync reply once it has at most this much left to read. */
const ROOM_FOR_MORE_BYTES = 256 * 1024;

interface Dependencies {
  socket: WebSocket;
  connection: Duplex;
  budget: SendBudget;
  frames: BroadcastFrames;
}

/** Sends over a socket, and limits the sent data that waits in memory until the client reads it. */
export class Outbox implements SlowConsumer {
  readonly #deps: Dependencies;
  /** For each pending frame, the function that releases it. */
  readonly #releases = new Set<() => void>();
  /** The bytes of all pending frames (`SlowConsumer`). */
  pendingBytes = 0;
  /** Resolved when the client has read most of the pending frames. */
  #mostlyRead: PromiseWithResolvers<void> | undefined;
  readonly #closed = new AbortController();
  #userKey = '';

  constructor(deps: Dependencies) {
    this.#deps = deps;
    deps.connection.once('close', () => this.#releaseAll());
  }

  /** Counts pending frames for this user from now on. A socket keeps its first authenticated user. */
  assignUser(userKey: string): void {
    this.#userKey ||= userKey;
  }

  get isOpen(): boolean {
    return this.#deps.socket.readyState === this.#deps.socket.OPEN;
  }

  deliver(message: Uint8Array): void {
    if (message.length <= MAX_FRAMED_BYTES) {
      this.#write(this.#deps.frames.frameOf(message));
    } else if (this.#checkRoomFor(message)) {
      const release = this.#countPending(message);
      if (this.isOpen) this.#deps.socket.send(message, release);
    }
  }

  #write(frame: Uint8Array): void {
    if (!this.isOpen) return;
    const { bufferedAmount } = this.#deps.socket;
    // The network takes nearly all data at once. Such data is not counted.
    if (bufferedAmount === 0) {
      this.#deps.connection.write(frame);
    } else if (this.#checkRoomFor(frame)) {
      const release = this.#countPending(frame);
      if (this.isOpen) this.#deps.connection.write(frame, release);
    }
  }

  /** Replies to a ping. */
  pong(data: Buffer): void {
    if (this.#checkRoomFor(data)) this.#deps.socket.pong(data);
  }

  /** Resolves once the client has read most of the sent data, or is disconnected. */
  async whenRead(): Promise<void> {
    if (!this.isOpen || this.pendingBytes <= ROOM_FOR_MORE_BYTES) return;
    this.#mostlyRead ??= Promise.withResolvers();
    await this.#mostlyRead.promise;
  }

  /**
   * Resolves once there is room for a large sync reply, or the client is disconnected.
   *
   * @returns a function that releases the room, to be called once the reply is sent
   */
  reserve(bytes: number): Promise<() => void> {
    return this.#deps.budget.reserve(this.#userKey, bytes, this.#closed.signal);
  }

  disconnect(): void {
    refuseSocket(this.#deps.socket, 'RESOURCE_EXHAUSTED');
    this.#releaseAll();
  }

  /** Returns whether there is room for a frame. Disconnects a client for which there is none. */
  #checkRoomFor({ length }: Uint8Array): boolean {
    if (!this.isOpen) return false;
    const hasRoom = this.#deps.socket.bufferedAmount + length <= MAX_BUFFERED_BYTES;
    if (!hasRoom) this.disconnect();
    return hasRoom;
  }

  #countPending(frame: Uint8Array): () => void {
    const { budget } = this.#deps;
    const releaseBudget = budget.addFrame(this, this.#userKey, frame);
    const release = () => {
      if (!this.#releases.delete(release)) return;
      this.pendingBytes -= frame.length;
      releaseBudget();
      if (this.pendingBytes <= ROOM_FOR_MORE_BYTES) this.#resolveMostlyRead();
    };
    this.#releases.add(release);
    this.pendingBytes += frame.length;
    budget.enforce(this.#userKey);
    return release;
  }

  /** Releases the pending frames of a closed socket. */
  #releaseAll(): void {
    this.#closed.abort();
    for (const release of this.#releases) release();
    this.#resolveMostlyRead();
  }

  #resolveMostlyRead(): void {
    this.#mostlyRead?.resolve();
    this.#mostlyRead = undefined;
  }
}
