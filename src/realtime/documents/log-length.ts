import type { StoredDocument } from '../../features/crdt/log/load-stored.ts';

/**
 * A longer log is compacted into a snapshot, because a log loads four times as slowly as a snapshot of its
 * size. A large snapshot itself takes long to load and to write, so the log after it may grow longer.
 */
export const MAX_LOG_UPDATES = 800;
const SNAPSHOT_BYTES_PER_UPDATE = 1_024;
const MAX_LOG_BYTES = 64 * 1024;
const MAX_LOG_SHARE_OF_SNAPSHOT = 1 / 16;

/** The lengths of a document's snapshot and of the log after it, as far as this process knows. */
export class LogLength {
  #snapshotBytes: number;
  #updates: number;
  #bytes: number;

  constructor(stored: Pick<StoredDocument, 'snapshot' | 'updates'> | undefined) {
    this.#snapshotBytes = stored?.snapshot?.length ?? 0;
    this.#updates = stored?.updates.length ?? 0;
    this.#bytes = stored?.updates.reduce((bytes, update) => bytes + update.length, 0) ?? 0;
  }

  /** The approximate stored size of the document, including its history. */
  get storedBytes(): number {
    return this.#snapshotBytes + this.#bytes;
  }

  /** Whether the log should be compacted. */
  get isLong(): boolean {
    const maxUpdates = MAX_LOG_UPDATES + this.#snapshotBytes / SNAPSHOT_BYTES_PER_UPDATE;
    const maxBytes = Math.max(MAX_LOG_BYTES, this.#snapshotBytes * MAX_LOG_SHARE_OF_SNAPSHOT);
    return this.#updates > maxUpdates || this.#bytes > maxBytes;
  }

  /** Counts an update that was appended to the log. */
  add(update: Uint8Array): void {
    this.#updates++;
    this.#bytes += update.length;
  }

  /** Compacts the log with a function that returns the size of the new snapshot, if it made one. */
  async compact(makeSnapshot: () => Promise<number | undefined>): Promise<void> {
    const updates = this.#updates;
    const bytes = this.#bytes;
    const snapshotBytes = await makeSnapshot();
    // The updates that were appended meanwhile remain.
    this.#updates -= updates;
    this.#bytes -= bytes;
    this.#snapshotBytes = snapshotBytes ?? this.#snapshotBytes;
  }
}
