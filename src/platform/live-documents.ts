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
   * Puts new content in the place of what is there, by a change that `make` makes on a document that
   * reads as what is stored then: another process may have been first, and `make` is called again.
   * Resolves once the change and its `crdt.update_data` event are committed; connected editors see
   * it then.
   *
   * @param version what was committed up to it comes before, whatever process did it
   */
  edit(
    name: LiveDocumentName,
    version: number,
    author: string | undefined,
    make: (doc: Doc) => void,
  ): Promise<void>;
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
