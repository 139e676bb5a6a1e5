/** The most memory that unread frames may take: for one user, and for the whole process. */
export const SEND_BUDGET = { userBytes: 64 * 1024 * 1024, processBytes: 256 * 1024 * 1024 };

/** The share of the budget for sync replies. The rest is left for the edits of other users. */
const SHARE_OF_REPLIES = 0.75;
/** How long a sync reply waits for slow consumers before one of them is disconnected. */
const MAX_WAIT_MS = 30_000;

/** A sync reply that waits for room. */
interface WaitingReply {
  userKey: string;
  bytes: number;
  grant(): void;
}

/** A socket with frames that its client has not read. */
export interface SlowConsumer {
  /** The bytes of its pending frames, including frames that others wait for too. */
  readonly pendingBytes: number;
  disconnect(): void;
}

/**
 * Counts the frames that wait in memory until clients read them. Above the limit of a user, the slowest
 * consumer of that user is disconnected; above the limit of the process, that of the user with most bytes.
 */
export class SendBudget {
  readonly #limits: typeof SEND_BUDGET;
  readonly #allFrames = new PendingFrames();
  readonly #users = new Map<string, Account>();
  /** Bytes reserved for sync replies that are being made, by user. */
  readonly #reserved = new Map<string, number>();
  #totalReserved = 0;
  readonly #waiting = new Set<WaitingReply>();
  #isGranting = false;

  constructor(limits = SEND_BUDGET) {
    this.#limits = limits;
  }

  /**
   * Resolves once there is room for a sync reply of this many bytes, or the signal aborts.
   *
   * @returns a function that releases the room, to be called once the reply is counted as a frame
   */
  async reserve(userKey: string, bytes: number, signal: AbortSignal): Promise<() => void> {
    while (!signal.aborted && !this.#fits({ userKey, bytes })) {
      await this.#whenGranted({ userKey, bytes }, signal);
    }
    if (signal.aborted) return () => undefined;
    this.#changeReserved(userKey, bytes);
    return () => this.#changeReserved(userKey, -bytes);
  }

  async #whenGranted(reply: Omit<WaitingReply, 'grant'>, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const grant = () => resolve();
    const waiting = { ...reply, grant };
    this.#waiting.add(waiting);
    signal.addEventListener('abort', grant, { once: true });
    const deadline = setTimeout(() => this.#makeRoomFor(reply), MAX_WAIT_MS);
    await promise;
    clearTimeout(deadline);
    signal.removeEventListener('abort', grant);
    this.#waiting.delete(waiting);
  }

  #makeRoomFor({ userKey, bytes }: Omit<WaitingReply, 'grant'>): void {
    const own = this.#users.get(userKey);
    const isOverOwnShare =
      own && own.frames.bytes + bytes > SHARE_OF_REPLIES * this.#limits.userBytes;
    const accounts = isOverOwnShare ? [own] : [...this.#users.values()];
    if (accounts.length > 0) disconnectSlowest(maxBy(accounts, ({ frames }) => frames.bytes));
  }

  #ownBytes(userKey: string): number {
    return (this.#users.get(userKey)?.frames.bytes ?? 0) + (this.#reserved.get(userKey) ?? 0);
  }

  /** Whether there is room for a sync reply. A user without pending frames may have one of any size. */
  #fits({ userKey, bytes }: Omit<WaitingReply, 'grant'>): boolean {
    const ownBytes = this.#ownBytes(userKey);
    const allBytes = this.#allFrames.bytes + this.#totalReserved;
    const { userBytes, processBytes } = this.#limits;
    return (
      (ownBytes === 0 || ownBytes + bytes <= SHARE_OF_REPLIES * userBytes) &&
      (allBytes === 0 || allBytes + bytes <= SHARE_OF_REPLIES * processBytes)
    );
  }

  #changeReserved(userKey: string, bytes: number): void {
    const reserved = (this.#reserved.get(userKey) ?? 0) + bytes;
    if (reserved > 0) this.#reserved.set(userKey, reserved);
    else this.#reserved.delete(userKey);
    this.#totalReserved += bytes;
    if (bytes < 0) this.#grantSoon();
  }

  /** Grants room to the waiting user with the least data, at most once in a turn of the event loop. */
  #grantSoon(): void {
    if (this.#isGranting || this.#waiting.size === 0) return;
    this.#isGranting = true;
    setImmediate(() => {
      this.#isGranting = false;
      const ready = [...this.#waiting].filter((waiting) => this.#fits(waiting));
      const [first] = ready.sort(
        (one, other) => this.#ownBytes(one.userKey) - this.#ownBytes(other.userKey),
      );
      first?.grant();
      // Whether another reply fits is known only once this one has been reserved.
      if (ready.length > 1) this.#grantSoon();
    });
  }

  /** Counts a frame. @returns a function to call once the frame was read or never will be. */
  addFrame(slowConsumer: SlowConsumer, userKey: string, frame: Uint8Array): () => void {
    const account = this.#users.get(userKey) ?? {
      frames: new PendingFrames(),
      slowConsumers: new Map(),
    };
    this.#users.set(userKey, account);
    this.#allFrames.add(frame);
    account.frames.add(frame);
    account.slowConsumers.set(slowConsumer, (account.slowConsumers.get(slowConsumer) ?? 0) + 1);
    return () => this.#release(slowConsumer, userKey, frame);
  }

  /** Disconnects slow consumers until the limits hold. */
  enforce(userKey: string): void {
    const own = this.#users.get(userKey);
    while (own && own.frames.bytes > this.#limits.userBytes) disconnectSlowest(own);
    while (this.#allFrames.bytes > this.#limits.processBytes) {
      disconnectSlowest(maxBy(this.#users.values(), ({ frames }) => frames.bytes));
    }
  }

  #release(slowConsumer: SlowConsumer, userKey: string, frame: Uint8Array): void {
    const account = this.#users.get(userKey);
    if (!account) return;
    this.#allFrames.delete(frame);
    account.frames.delete(frame);
    const remaining = (account.slowConsumers.get(slowConsumer) ?? 1) - 1;
    if (remaining > 0) account.slowConsumers.set(slowConsumer, remaining);
    else account.slowConsumers.delete(slowConsumer);
    if (account.slowConsumers.size === 0) this.#users.delete(userKey);
    this.#grantSoon();
  }
}

/** The pending frames of one user. */
interface Account {
  frames: PendingFrames;
  /** The number of pending frames of each consumer. */
  slowConsumers: Map<SlowConsumer, number>;
}

/** Counts a frame once, however many clients wait for it. */
class PendingFrames {
  bytes = 0;
  readonly #receivers = new Map<Uint8Array, number>();

  add(frame: Uint8Array): void {
    const receivers = this.#receivers.get(frame) ?? 0;
    if (receivers === 0) this.bytes += frame.length;
    this.#receivers.set(frame, receivers + 1);
  }

  delete(frame: Uint8Array): void {
    const receivers = (this.#receivers.get(frame) ?? 1) - 1;
    if (receivers > 0) {
      this.#receivers.set(frame, receivers);
    } else {
      this.#receivers.delete(frame);
      this.bytes -= frame.length;
    }
  }
}

const disconnectSlowest = ({ slowConsumers }: Account): void =>
  maxBy(slowConsumers.keys(), ({ pendingBytes }) => pendingBytes).disconnect();

/** Returns the item with the largest amount. There must be one. */
function maxBy<Item>(items: Iterable<Item>, amountOf: (item: Item) => number): Item {
  const all = [...items];
  return all.reduce((most, item) => (amountOf(item) > amountOf(most) ? item : most));
}
