/** What clients that do not read may hold of the memory of a process, one user's and all of them. */
export const SEND_BUDGET = { userBytes: 64 * 1024 * 1024, processBytes: 256 * 1024 * 1024 };

/** What answers may take of it: edits that others write need room as well. */
const SHARE_OF_ANSWERS = 0.75;
/** How long an answer waits for clients who read a little now and then; one of them then has to go. */
const PATIENCE_MS = 30_000;

/** An answer that waits for room. */
interface Waiting {
  userKey: string;
  bytes: number;
  grant(): void;
}

/** A socket with frames that its client has not read. */
export interface SlowConsumer {
  /** Of frames that wait, whoever else waits for them. */
  readonly heldBytes: number;
  cutOff(): void;
}

/**
 * Counts the frames that wait in memory until clients read them, and cuts off those who lag most
 * when it is too much: of a user who holds too much, or, for the process, of the user who holds most.
 */
export class SendBudget {
  readonly #most: typeof SEND_BUDGET;
  readonly #all = new HeldFrames();
  readonly #users = new Map<string, Account>();
  /** Room for answers that are being made, and those that wait for it. */
  readonly #promised = new Map<string, number>();
  #allPromised = 0;
  readonly #waiting = new Set<Waiting>();
  #isGranting = false;

  constructor(most = SEND_BUDGET) {
    this.#most = most;
  }

  /**
   * Resolves once there is room for an answer of so many bytes, or it is not wanted any more.
   *
   * @returns what gives the room back, once the answer is held as a frame.
   */
  async reserve(userKey: string, bytes: number, signal: AbortSignal): Promise<() => void> {
    while (!signal.aborted && !this.#fits({ userKey, bytes })) {
      await this.#whenGranted({ userKey, bytes }, signal);
    }
    if (signal.aborted) return () => undefined;
    this.#promise(userKey, bytes);
    return () => this.#promise(userKey, -bytes);
  }

  async #whenGranted(asked: Omit<Waiting, 'grant'>, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const grant = () => resolve();
    const waiting = { ...asked, grant };
    this.#waiting.add(waiting);
    signal.addEventListener('abort', grant, { once: true });
    const patience = setTimeout(() => this.#makeRoomFor(asked), PATIENCE_MS);
    await promise;
    clearTimeout(patience);
    signal.removeEventListener('abort', grant);
    this.#waiting.delete(waiting);
  }

  #makeRoomFor({ userKey, bytes }: Omit<Waiting, 'grant'>): void {
    const own = this.#users.get(userKey);
    const isOwnFault = own && own.frames.bytes + bytes > SHARE_OF_ANSWERS * this.#most.userBytes;
    const accounts = isOwnFault ? [own] : [...this.#users.values()];
    if (accounts.length > 0) cutOffSlowest(mostOf(accounts, ({ frames }) => frames.bytes));
  }

  #ownBytes(userKey: string): number {
    return (this.#users.get(userKey)?.frames.bytes ?? 0) + (this.#promised.get(userKey) ?? 0);
  }

  /** Whoever holds nothing may hold one answer, whatever its size. */
  #fits({ userKey, bytes }: Omit<Waiting, 'grant'>): boolean {
    const [own, all] = [this.#ownBytes(userKey), this.#all.bytes + this.#allPromised];
    const { userBytes, processBytes } = this.#most;
    return (
      (own === 0 || own + bytes <= SHARE_OF_ANSWERS * userBytes) &&
      (all === 0 || all + bytes <= SHARE_OF_ANSWERS * processBytes)
    );
  }

  #promise(userKey: string, bytes: number): void {
    const promised = (this.#promised.get(userKey) ?? 0) + bytes;
    if (promised > 0) this.#promised.set(userKey, promised);
    else this.#promised.delete(userKey);
    this.#allPromised += bytes;
    if (bytes < 0) this.#grantSoon();
  }

  /** Once a turn, however much was read in it. */
  #grantSoon(): void {
    if (this.#isGranting || this.#waiting.size === 0) return;
    this.#isGranting = true;
    setImmediate(() => {
      this.#isGranting = false;
      const ready = [...this.#waiting].filter((waiting) => this.#fits(waiting));
      const first = leastOf(ready, ({ userKey }) => this.#ownBytes(userKey));
      first?.grant();
      // Whether there is room for one more is known when this one has taken its own.
      if (ready.length > 1) this.#grantSoon();
    });
  }

  /** Counts a frame. @returns what takes it off again, once it was read or nobody will read it. */
  hold(slowConsumer: SlowConsumer, userKey: string, frame: Uint8Array): () => void {
    const account = this.#users.get(userKey) ?? {
      frames: new HeldFrames(),
      slowConsumers: new Map(),
    };
    this.#users.set(userKey, account);
    this.#all.add(frame);
    account.frames.add(frame);
    account.slowConsumers.set(slowConsumer, (account.slowConsumers.get(slowConsumer) ?? 0) + 1);
    return () => this.#release(slowConsumer, userKey, frame);
  }

  /** Cuts off as many as it takes to be within bounds. */
  enforce(userKey: string): void {
    const own = this.#users.get(userKey);
    while (own && own.frames.bytes > this.#most.userBytes) cutOffSlowest(own);
    while (this.#all.bytes > this.#most.processBytes) {
      cutOffSlowest(mostOf(this.#users.values(), ({ frames }) => frames.bytes));
    }
  }

  #release(slowConsumer: SlowConsumer, userKey: string, frame: Uint8Array): void {
    const account = this.#users.get(userKey);
    if (!account) return;
    this.#all.delete(frame);
    account.frames.delete(frame);
    const left = (account.slowConsumers.get(slowConsumer) ?? 1) - 1;
    if (left > 0) account.slowConsumers.set(slowConsumer, left);
    else account.slowConsumers.delete(slowConsumer);
    if (account.slowConsumers.size === 0) this.#users.delete(userKey);
    this.#grantSoon();
  }
}

interface Account {
  frames: HeldFrames;
  /** How many frames each of them waits for. */
  slowConsumers: Map<SlowConsumer, number>;
}

/** What is sent to many is in memory once, and counts once. */
class HeldFrames {
  bytes = 0;
  readonly #holders = new Map<Uint8Array, number>();

  add(frame: Uint8Array): void {
    const holders = this.#holders.get(frame) ?? 0;
    if (holders === 0) this.bytes += frame.length;
    this.#holders.set(frame, holders + 1);
  }

  delete(frame: Uint8Array): void {
    const holders = (this.#holders.get(frame) ?? 1) - 1;
    if (holders > 0) {
      this.#holders.set(frame, holders);
    } else {
      this.#holders.delete(frame);
      this.bytes -= frame.length;
    }
  }
}

const cutOffSlowest = ({ slowConsumers }: Account): void =>
  mostOf(slowConsumers.keys(), ({ heldBytes }) => heldBytes).cutOff();

function mostOf<Item>(items: Iterable<Item>, amountOf: (item: Item) => number): Item {
  const all = [...items];
  return all.reduce((most, item) => (amountOf(item) > amountOf(most) ? item : most));
}

function leastOf<Item>(items: readonly Item[], amountOf: (item: Item) => number): Item | undefined {
  const [first, ...others] = items;
  return others.length > 0 ? mostOf(items, (item) => -amountOf(item)) : first;
}
