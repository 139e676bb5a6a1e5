const NAME = 'collaboration';
/** 23 hours. The server keeps an idempotency key for 24, and a later write might take effect twice. */
const MAX_AGE_MS = 82_800_000;

/** A write that the server has not answered yet. */
export interface KeptWrite {
  path: string;
  input: unknown;
  idempotencyKey: string;
  /** The user who made the write; only this user may send it. */
  userId: string;
  /** In epoch milliseconds. */
  at: number;
}

/** The storage that keeps writes, such as `sessionStorage`. */
export type WriteStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** Keeps unanswered writes across reloads of the page, in their order. */
export class KeptWrites {
  readonly #storage: WriteStorage;

  constructor(storage: WriteStorage) {
    this.#storage = storage;
  }

  ofUser(userId: string): KeptWrite[] {
    return this.#read().filter((write) => write.userId === userId);
  }

  add(write: Omit<KeptWrite, 'at'>): void {
    this.#store([...this.#read(), { ...write, at: Date.now() }]);
  }

  remove(key: string): void {
    this.#store(this.#read().filter(({ idempotencyKey }) => idempotencyKey !== key));
  }

  /** Storage with other content counts as empty. */
  #read(): KeptWrite[] {
    const after = Date.now() - MAX_AGE_MS;
    try {
      const kept: KeptWrite[] = JSON.parse(this.#storage.getItem(NAME) ?? '[]');
      return kept.filter(({ at }) => at > after);
    } catch {
      return [];
    }
  }

  /** A write is sent even if the storage is full. */
  #store(writes: KeptWrite[]): void {
    try {
      this.#storage.setItem(NAME, JSON.stringify(writes));
    } catch {}
  }
}
