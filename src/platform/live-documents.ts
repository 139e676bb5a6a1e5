import type { Doc } from 'yjs';

/** Names one live document: the content of one editor. */
export interface LiveDocumentName {
  tenantId: string;
  organizationId: string;
  documentId: string;
  editorId: string;
}

/** What the rest of the product may do with live documents; the realtime side provides it. */
export interface LiveDocuments {
  /**
   * Changes the live document, for every connected editor, and resolves once the change and its
   * `crdt.update_data` event are committed. `change` makes its edits in one transaction of the
   * document with `origin`, and returns what the caller wants to know.
   */
  edit<Result>(
    name: LiveDocumentName,
    author: string | undefined,
    change: (doc: Doc, origin: unknown) => Result,
  ): Promise<Result>;
  /** Reads the newest state, edits that are not yet stored included. */
  read<Result>(name: LiveDocumentName, read: (doc: Doc) => Result): Promise<Result>;
  /** Gives an update that is already committed to whoever has the document open. */
  merge(name: LiveDocumentName, update: Uint8Array): Promise<void>;
}
