import type { Document } from '@hocuspocus/server';
import type { StoredDocument } from '../features/crdt/log/load-stored.ts';
import type { Declared } from '../features/crdt/present-editor.ts';
import type { LiveDocumentName } from '../platform/live-documents.ts';

export interface QueuedUpdate {
  update: Uint8Array;
  userId: string | undefined;
  /** Called once it is committed, or with the reason why it never will be. */
  settle?: (failure?: Error) => void;
}

/** A document in memory, and what of it is not in the database yet. */
export class OpenDocument {
  readonly name: LiveDocumentName;
  readonly document: Document;
  /** What is said of the content in the database. */
  readonly declared: Declared | undefined;
  /** The log that the updates go to; undefined until there is one. */
  logId: string | undefined;
  /** Arrived, and not yet handed to the database. */
  waiting: QueuedUpdate[] = [];
  /** Handed to the database, and not yet committed. */
  inFlight = 0;
  /** Everything up to this version is in memory. */
  version: number;
  /** The Yjs clients of an editor of this name that was deleted: their edits must not come back. */
  readonly buried: ReadonlySet<number>;
  /** How many updates have ever arrived, and how many of them are committed or lost. */
  #arrived = 0;
  #settled = 0;
  #waiters: Array<{ after: number; resolve: () => void }> = [];
  /** A comparison with the database that is under way: it may find what is not stored. */
  comparing: Promise<void> | undefined;
  /** Whether other processes have sent edits, which are theirs to store, or may have stored some. */
  mayDiffer = false;
  /** When this process last heard that an event was written, in epoch milliseconds. */
  eventAt: number;
  /** The length of the log since the snapshot, as far as this process knows. */
  logUpdates: number;
  logBytes: number;
  snapshotBytes: number;
  /** No less than the document takes, as one update. */
  sizeBytes: number;

  constructor(
    name: LiveDocumentName,
    document: Document,
    { stored, buried }: { stored: StoredDocument | undefined; buried: readonly number[] },
  ) {
    this.name = name;
    this.document = document;
    this.version = Number(stored?.version ?? 0);
    this.buried = new Set(buried);
    this.declared = stored;
    this.logId = stored?.logId;
    this.eventAt = stored?.eventAt?.getTime() ?? 0;
    this.logUpdates = stored?.updates.length ?? 0;
    this.logBytes = stored?.updates.reduce((bytes, update) => bytes + update.length, 0) ?? 0;
    this.snapshotBytes = stored?.snapshot?.length ?? 0;
    this.sizeBytes = this.bytes;
  }

  add(update: QueuedUpdate): void {
    this.#arrived++;
    this.waiting.push(update);
  }

  /** So many of the updates, the oldest, are committed or lost for ever. */
  settled(count: number): void {
    this.#settled += count;
    const [ready, waiting] = partition(this.#waiters, ({ after }) => after <= this.#settled);
    this.#waiters = waiting;
    for (const { resolve } of ready) resolve();
  }

  /** Resolves once everything that has arrived so far is committed or lost. */
  whenSettled(): Promise<void> {
    const after = this.#arrived;
    if (after <= this.#settled) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ after, resolve }));
  }

  /** About how much there is of the document, its history included. */
  get bytes(): number {
    return this.snapshotBytes + this.logBytes;
  }

  get hasUnsaved(): boolean {
    return this.waiting.length > 0 || this.inFlight > 0;
  }

  /** Whether the database holds all that is in memory, as far as is known. */
  get isStored(): boolean {
    return !this.hasUnsaved && this.comparing === undefined;
  }

  /** Resolves once the database holds what is in memory now, or it is known to be lost. */
  async whenStored(): Promise<void> {
    await this.comparing;
    await this.whenSettled();
  }
}

function partition<Item>(items: readonly Item[], is: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(is), items.filter((item) => !is(item))];
}
