import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, invalidArgument } from '../../platform/errors.ts';

type Done = (failure: AppError | null, body?: Buffer) => void;

interface Limits {
  /** The limit for one body. */
  bytes: number;
  /** The limit for all bodies that are being received. */
  totalBytes: number;
  /** Called when a client goes away while it sends. */
  onBrokenOff: () => void;
}

/** A body that is being received. */
interface Receiving {
  /** The memory that its bytes occupy. */
  held: number;
  refuse: (failure: AppError) => void;
}

/** Receives the bodies of requests, within limits for each of them and for all together. */
export class BodyReceiver {
  readonly #limits: Limits;
  /** The oldest first. */
  readonly #receiving = new Set<Receiving>();
  #held = 0;
  /** The requests with `Expect: 100-continue`. */
  readonly #asking = new WeakMap<IncomingMessage, ServerResponse>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Lets a client send its body only once `receive` is called. */
  expect(request: IncomingMessage, response: ServerResponse): void {
    this.#asking.set(request, response);
  }

  /**
   * Fails with 413 once the body is too large, with UNAVAILABLE when the memory for bodies is used
   * up and this body has been arriving for longest, and with 499 when its client disconnects.
   */
  receive(request: IncomingMessage, done: Done): void {
    const { bytes: limit } = this.#limits;
    if (Number(request.headers['content-length']) > limit) {
      done(tooLarge());
      return;
    }
    // Node accepts no more bytes than the header announces.
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

  /** Refuses bodies that are still arriving, because the process stops. */
  close(): void {
    for (const { refuse } of this.#receiving) refuse(stopping());
  }

  #hold(entry: Receiving, bytes: number): void {
    this.#held += bytes - entry.held;
    entry.held = bytes;
    // The oldest sender is the slowest, and others must not be refused because of it.
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

/** Occupies hardly more memory than the received bytes, even if they arrive in many small chunks. */
class ReceivedBytes {
  readonly #chunks: Buffer[] = [];
  readonly #most: number;
  /** The unused part of the last chunk. */
  #free: Buffer = Buffer.alloc(0);
  length = 0;
  capacity = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(chunk: Buffer): void {
    this.length += chunk.length;
    // Most bodies are one chunk, which needs no copy.
    if (this.capacity === 0) {
      this.#push(chunk);
      return;
    }
    const copied = chunk.copy(this.#free);
    this.#free = this.#free.subarray(copied);
    if (copied < chunk.length) this.#pushBlockWith(chunk.subarray(copied));
  }

  take(): Buffer {
    const [only] = this.#chunks;
    return only?.length === this.length ? only : Buffer.concat(this.#chunks, this.length);
  }

  #pushBlockWith(rest: Buffer): void {
    const room = Math.min(BLOCK_BYTES, this.#most - this.capacity);
    const block = Buffer.allocUnsafeSlow(Math.max(rest.length, room));
    this.#free = block.subarray(rest.copy(block));
    this.#push(block);
  }

  #push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.capacity += chunk.length;
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
