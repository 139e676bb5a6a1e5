import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, invalidArgument } from '../../platform/errors.ts';

type Done = (failure: AppError | null, body?: Buffer) => void;

interface Limits {
  /** The limit for one body. */
  bytes: number;
  /** The limit for all bodies that are being received. */
  totalBytes: number;
  /** Called when a client disconnects before its whole body has arrived. */
  onAborted: () => void;
}

/** A body that is being received. */
interface Receiving {
  /** The memory that the received part occupies. */
  heldBytes: number;
  refuse: (failure: AppError) => void;
}

/** Receives the bodies of requests, within limits for each of them and for all together. */
export class BodyReceiver {
  readonly #limits: Limits;
  /** The bodies that are being received, the oldest first. */
  readonly #receiving = new Set<Receiving>();
  #heldBytes = 0;
  /** The responses to requests with `Expect: 100-continue`. */
  readonly #deferredContinues = new WeakMap<IncomingMessage, ServerResponse>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Delays `100 Continue` until `receive` is called. The client sends the body after it. */
  deferContinue(request: IncomingMessage, response: ServerResponse): void {
    this.#deferredContinues.set(request, response);
  }

  /**
   * Passes the body to `done`, or a failure: 413 once the body is too large, UNAVAILABLE when the memory
   * for bodies is used up and this body has been arriving for longest, 499 when its client disconnects.
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
      request.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose);
      if (this.#receiving.delete(receiving)) this.#heldBytes -= receiving.heldBytes;
      done(failure, received);
    };
    const receiving: Receiving = { heldBytes: 0, refuse: (failure) => finish(failure) };
    const onData = (chunk: Buffer) => {
      if (body.length + chunk.length > limit) return finish(tooLarge());
      body.add(chunk);
      this.#countHeld(receiving, body.capacity);
    };
    const onEnd = () => finish(null, body.join());
    const onClose = () => {
      this.#limits.onAborted();
      finish(aborted());
    };
    this.#receiving.add(receiving);
    request.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose);
    this.#deferredContinues.get(request)?.writeContinue();
  }

  /** Refuses bodies that are still arriving, because the process is stopping. */
  close(): void {
    for (const { refuse } of this.#receiving) refuse(stopping());
  }

  #countHeld(receiving: Receiving, bytes: number): void {
    this.#heldBytes += bytes - receiving.heldBytes;
    receiving.heldBytes = bytes;
    // The body that has been arriving for longest has the slowest sender, so it is refused first.
    for (const { refuse } of this.#receiving) {
      if (this.#heldBytes <= this.#limits.totalBytes) return;
      refuse(noMemory());
    }
  }
}

const BLOCK_BYTES = 16 * 1024;

/** Collects a body in little more memory than its bytes need, even if they arrive in many small chunks. */
class ReceivedBytes {
  readonly #chunks: Buffer[] = [];
  readonly #maxBytes: number;
  /** The unused part of the last chunk. */
  #free: Buffer = Buffer.alloc(0);
  length = 0;
  capacity = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
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

  join(): Buffer {
    const [first] = this.#chunks;
    return first?.length === this.length ? first : Buffer.concat(this.#chunks, this.length);
  }

  #pushBlockWith(rest: Buffer): void {
    const room = Math.min(BLOCK_BYTES, this.#maxBytes - this.capacity);
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

const aborted = () =>
  invalidArgument('The client disconnected before its whole body had arrived.', { http: 499 });

const noMemory = () =>
  new AppError('UNAVAILABLE', 'Too many bodies are being received. Send the request again.', {
    retryAfterSeconds: 1,
  });

const stopping = () =>
  new AppError('UNAVAILABLE', 'This process is stopping. Send the request again.', {
    retryAfterSeconds: 1,
  });
