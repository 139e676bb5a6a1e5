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
    const body = new GrowingBuffer(announced);
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

/** Grows by doubling, so that many small pieces take neither much memory nor much copying. */
class GrowingBuffer {
  #bytes: Buffer = Buffer.alloc(0);
  readonly #most: number;
  length = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get capacity(): number {
    return this.#bytes.length;
  }

  add(piece: Buffer): void {
    const length = this.length + piece.length;
    // A piece is a copy of its own, and most bodies are one.
    if (this.length === 0) this.#bytes = piece;
    else {
      if (length > this.capacity)
        this.#grow(Math.max(length, Math.min(2 * this.capacity, this.#most)));
      piece.copy(this.#bytes, this.length);
    }
    this.length = length;
  }

  take(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  #grow(capacity: number): void {
    const bytes = Buffer.allocUnsafeSlow(capacity);
    this.#bytes.copy(bytes, 0, 0, this.length);
    this.#bytes = bytes;
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
