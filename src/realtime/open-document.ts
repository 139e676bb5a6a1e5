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
  /** Whether other processes have sent edits, which are theirs to store. */
  heardPeers = false;
  /** When this process last heard that an event was written, in epoch milliseconds. */
  eventAt: number;
  /** The length of the log since the snapshot, as far as this process knows. */
  logUpdates: number;
  logBytes: number;

  constructor(name: LiveDocumentName, document: Document, stored: StoredDocument | undefined) {
    this.name = name;
    this.document = document;
    this.declared = stored;
    this.logId = stored?.logId;
    this.eventAt = stored?.eventAt?.getTime() ?? 0;
    this.logUpdates = stored?.updates.length ?? 0;
    this.logBytes = stored?.updates.reduce((bytes, update) => bytes + update.length, 0) ?? 0;
  }

  get hasUnsaved(): boolean {
    return this.waiting.length > 0 || this.inFlight > 0;
  }
}
