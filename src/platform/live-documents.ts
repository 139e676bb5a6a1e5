import type { Doc } from 'yjs';
import type { ResponseWriter } from './database/database.ts';

/** Names one live document: the content of one editor. */
export interface LiveDocumentName {
  tenantId: string;
  organizationId: string;
  documentId: string;
  editorId: string;
}

/** The root and type that `crdt/add` declared for the content of an editor. */
export interface DeclaredContent {
  contentKey: string | null;
  contentType: 'text' | 'map' | 'array' | 'xml' | null;
}

/** A state of stored content. Content that is deleted and added again has another `logId`. */
export interface StoredState {
  logId: string;
  version: number;
}

/** A change that a caller makes in a live document. */
export interface LiveChange {
  author: string | undefined;
  /** The response to be committed together with the change. */
  response?: ResponseWriter | undefined;
  /** @throws when the change cannot be made; the document is then unchanged. */
  make(doc: Doc, declared: DeclaredContent): void;
}

/** An update, and the parts in which it is applied so that none blocks the process for long. */
export interface UpdateInParts {
  update: Uint8Array;
  parts: readonly Uint8Array[];
}

/** The interface to live documents, which the realtime side implements. */
export interface LiveDocuments {
  /**
   * Returns the size of the stored content and its history, in bytes; undefined when the document is not
   * open in this process, or has no content.
   */
  storedSizeOf(name: LiveDocumentName): number | undefined;
  /**
   * Changes the content. `make` is called again when another process has stored content first.
   * Resolves once the change and its `crdt.update_data` event are committed; connected editors see the
   * change then. The document stays in memory for a while.
   *
   * @throws NOT_FOUND when the document in memory was deleted, even if a new one has its name
   */
  edit(name: LiveDocumentName, change: LiveChange): Promise<void>;
  /** Resolves once all edits that this process has received for the document are committed. */
  settle(name: LiveDocumentName): Promise<void>;
  /**
   * Applies a committed change, which led to `state`, to the document if it is open in this process:
   * part by part, yielding to other work in between. Editors receive the change as a whole.
   */
  merge(name: LiveDocumentName, change: UpdateInParts, state: StoredState): Promise<void>;
}
