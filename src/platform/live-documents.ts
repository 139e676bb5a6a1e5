import type { Doc } from 'yjs';

/** Names one live document: the content of one editor. */
export interface LiveDocumentName {
  tenantId: string;
  organizationId: string;
  documentId: string;
  editorId: string;
}

/** What is declared of an editor's content, about how much of it is stored, and its version. */
export interface EditorFacts {
  contentKey: string | null;
  contentType: 'text' | 'map' | 'array' | 'xml' | null;
  bytes: number;
  version: number;
}

/** What the rest of the product may do with live documents; the realtime side provides it. */
export interface LiveDocuments {
  /**
   * The facts of an editor that is open in this process and has content in the database. Nothing
   * where other processes may know more.
   */
  factsOf(name: LiveDocumentName): EditorFacts | undefined;
  /**
   * Changes the live document, for every connected editor, and resolves once the change and its
   * `crdt.update_data` event are committed. What was committed up to `version` is there before:
   * whoever writes through one process and then another builds on the first, though Redis be away.
   * `change` makes its edits in one transaction of the document with `origin`, and returns what the
   * caller wants to know.
   */
  edit<Result>(
    name: LiveDocumentName,
    version: number,
    author: string | undefined,
    change: (doc: Doc, origin: unknown) => Result,
  ): Promise<Result>;
  /**
   * Reads the newest state, edits that are not yet stored included, and all that was committed up
   * to `version`.
   */
  read<Result>(
    name: LiveDocumentName,
    version: number,
    read: (doc: Doc) => Result,
  ): Promise<Result>;
  /** Resolves once all that this process was told of the document so far is committed. */
  settle(name: LiveDocumentName): Promise<void>;
  /**
   * Gives a change that is already committed, as `version`, to whoever has the document open: part
   * by part, with room for others in between.
   */
  merge(name: LiveDocumentName, parts: readonly Uint8Array[], version: number): Promise<void>;
}
