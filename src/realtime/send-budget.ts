/** What clients that do not read may hold of the memory of a process, one user's and all of them. */
export const SEND_BUDGET = { userBytes: 64 * 1024 * 1024, processBytes: 256 * 1024 * 1024 };

/** A socket with frames that its client has not read. */
export interface Laggard {
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

  constructor(most = SEND_BUDGET) {
    this.#most = most;
  }

  /** Counts a frame. @returns what takes it off again, once it was read or nobody will read it. */
  hold(laggard: Laggard, userKey: string, frame: Uint8Array): () => void {
    const account = this.#users.get(userKey) ?? { frames: new HeldFrames(), laggards: new Map() };
    this.#users.set(userKey, account);
    this.#all.add(frame);
    account.frames.add(frame);
    account.laggards.set(laggard, (account.laggards.get(laggard) ?? 0) + 1);
    return () => this.#release(laggard, userKey, frame);
  }

  /** Cuts off as many as it takes to be within bounds. */
  enforce(userKey: string): void {
    const own = this.#users.get(userKey);
    while (own && own.frames.bytes > this.#most.userBytes) cutOffSlowest(own);
    while (this.#all.bytes > this.#most.processBytes) {
      cutOffSlowest(mostOf(this.#users.values(), ({ frames }) => frames.bytes));
    }
  }

  #release(laggard: Laggard, userKey: string, frame: Uint8Array): void {
    const account = this.#users.get(userKey);
    if (!account) return;
    this.#all.delete(frame);
    account.frames.delete(frame);
    const left = (account.laggards.get(laggard) ?? 1) - 1;
    if (left > 0) account.laggards.set(laggard, left);
    else account.laggards.delete(laggard);
    if (account.laggards.size === 0) this.#users.delete(userKey);
  }
}

interface Account {
  frames: HeldFrames;
  /** How many frames each of them waits for. */
  laggards: Map<Laggard, number>;
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

const cutOffSlowest = ({ laggards }: Account): void =>
  mostOf(laggards.keys(), ({ heldBytes }) => heldBytes).cutOff();

function mostOf<Item>(items: Iterable<Item>, amountOf: (item: Item) => number): Item {
  const all = [...items];
  return all.reduce((most, item) => (amountOf(item) > amountOf(most) ? item : most));
}
