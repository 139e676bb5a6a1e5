const STORAGE_KEY = 'collaboration';
/** Older writes are dropped: the server keeps an idempotency key for 24 hours, and a later write might take effect twice. */
const MAX_AGE_MS = 23 * 60 * 60_000;

/** A write to which the server has not responded yet. */
export interface KeptWrite {
  path: string;
  input: unknown;
  idempotencyKey: string;
  /** The user who made the write; only this user may send it. */
  userId: string;
  /** When the write was made, in epoch milliseconds. */
  at: number;
}

/** The storage that keeps writes, such as `sessionStorage`. */
export type WriteStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** Keeps writes without a response across reloads of the page, in their order. */
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

  /** Storage whose content is not a list of writes counts as empty. */
  #read(): KeptWrite[] {
    const oldest = Date.now() - MAX_AGE_MS;
    try {
      const kept: KeptWrite[] = JSON.parse(this.#storage.getItem(STORAGE_KEY) ?? '[]');
      return kept.filter(({ at }) => at > oldest);
    } catch {
      return [];
    }
  }

  /** Does nothing if the storage is full: the writes are sent anyway. */
  #store(writes: KeptWrite[]): void {
    try {
      this.#storage.setItem(STORAGE_KEY, JSON.stringify(writes));
    } catch {}
  }
}
