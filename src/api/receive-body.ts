import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, invalidArgument } from '../platform/errors.ts';

type Done = (failure: AppError | null, body?: Buffer) => void;

interface Limits {
  /** Of one body. */
  bytes: number;
  /** Of all bodies that are being received. */
  totalBytes: number;
  /** Called when a client goes away while it sends. */
  onBrokenOff: () => void;
}

/** A body that is being received. */
interface Receiving {
  /** What its bytes take up. */
  held: number;
  refuse: (failure: AppError) => void;
}

/** Receives the bodies of requests, within what one of them and all together may take up. */
export class BodyReceiver {
  readonly #limits: Limits;
  /** The oldest first. */
  readonly #receiving = new Set<Receiving>();
  #held = 0;
  /** Who asked with `Expect: 100-continue` whether to send. */
  readonly #asking = new WeakMap<IncomingMessage, ServerResponse>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Has a client send its body only once `receive` wants it. */
  expect(request: IncomingMessage, response: ServerResponse): void {
    this.#asking.set(request, response);
  }

  /**
   * Fails with 413 once the body is too large, with UNAVAILABLE when the memory for bodies is used
   * up and this one has been under way for longest, and with 499 when its client goes away.
   */
  receive(request: IncomingMessage, done: Done): void {
    const { bytes: limit } = this.#limits;
    if (Number(request.headers['content-length']) > limit) {
      done(tooLarge());
      return;
    }
    // What is announced is enough: it cannot be more.
    const announced = Number(request.headers['content-length']) || limit;
    const body = new ReceivedBytes(announced);
    const finish: Done = (failure, received) => {
      request.off('data', take).off('end', end).off('error', breakOff).off('close', breakOff);
      this.#release(entry);
      done(failure, received);
    };
    const entry: Receiving = { held: 0, refuse: (failure) => finish(failure) };
    const take = (chunk: Buffer) => {
      if (body.length + chunk.length > limit) return finish(tooLarge());
      body.add(chunk);
      this.#hold(entry, body.capacity);
    };
    const end = () => finish(null, body.take());
    const breakOff = () => {
      this.#limits.onBrokenOff();
      finish(brokenOff());
    };
    this.#receiving.add(entry);
    request.on('data', take).on('end', end).on('error', breakOff).on('close', breakOff);
    this.#asking.get(request)?.writeContinue();
  }

  /** Refuses what is still being received: the process stops. */
  close(): void {
    for (const { refuse } of this.#receiving) refuse(stopping());
  }

  #hold(entry: Receiving, bytes: number): void {
    this.#held += bytes - entry.held;
    entry.held = bytes;
    // Whoever sends for longest is the slowest: others are not to be refused for their sake.
    for (const { refuse } of this.#receiving) {
      if (this.#held <= this.#limits.totalBytes) return;
      refuse(noMemory());
    }
  }

  #release(entry: Receiving): void {
    if (this.#receiving.delete(entry)) this.#held -= entry.held;
  }
}

const BLOCK_BYTES = 16 * 1024;

/** Takes up hardly more than what came, also where that came in many small pieces. */
class ReceivedBytes {
  readonly #pieces: Buffer[] = [];
  readonly #most: number;
  /** What is left of the last piece. */
  #free: Buffer = Buffer.alloc(0);
  length = 0;
  capacity = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(piece: Buffer): void {
    this.length += piece.length;
    // A piece is a copy of its own, and most bodies are one.
    if (this.capacity === 0) {
      this.#push(piece);
      return;
    }
    const copied = piece.copy(this.#free);
    this.#free = this.#free.subarray(copied);
    if (copied < piece.length) this.#pushBlockWith(piece.subarray(copied));
  }

  take(): Buffer {
    const [only] = this.#pieces;
    return only?.length === this.length ? only : Buffer.concat(this.#pieces, this.length);
  }

  #pushBlockWith(rest: Buffer): void {
    const room = Math.min(BLOCK_BYTES, this.#most - this.capacity);
    const block = Buffer.allocUnsafeSlow(Math.max(rest.length, room));
    this.#free = block.subarray(rest.copy(block));
    this.#push(block);
  }

  #push(piece: Buffer): void {
    this.#pieces.push(piece);
    this.capacity += piece.length;
  }
}

export const tooLarge = () => invalidArgument('The body is too large.', { http: 413 });

const brokenOff = () =>
  invalidArgument('The client went away while it sent its body.', { http: 499 });

const noMemory = () =>
  new AppError('UNAVAILABLE', 'Too many bodies are being received. Send it again.', {
    retryAfterSeconds: 1,
  });

const stopping = () =>
  new AppError('UNAVAILABLE', 'This process is stopping. Send it again.', { retryAfterSeconds: 1 });
