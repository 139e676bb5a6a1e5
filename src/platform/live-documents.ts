import type { Doc } from 'yjs';

/** Names one live document: the content of one editor. */
export interface LiveDocumentName {
  tenantId: string;
  organizationId: string;
  documentId: string;
  editorId: string;
}

/** The declaration of an editor's content, the stored size, and the version. */
export interface EditorFacts {
  contentKey: string | null;
  contentType: 'text' | 'map' | 'array' | 'xml' | null;
  bytes: number;
  version: number;
}

/** The interface to live documents, which the realtime side implements. */
export interface LiveDocuments {
  /**
   * Returns the facts of an editor that is open in this process and has stored content; undefined
   * where other processes may have newer facts.
   */
  factsOf(name: LiveDocumentName): EditorFacts | undefined;
  /**
   * Replaces the content by a change that `make` computes from the stored document. When another
   * process commits first, `make` is called again. Resolves once the change and its
   * `crdt.update_data` event are committed; connected editors see the change then.
   *
   * @param version the change follows all updates that were committed up to this version
   */
  edit(
    name: LiveDocumentName,
    version: number,
    author: string | undefined,
    make: (doc: Doc) => void,
  ): Promise<void>;
  /**
   * Reads the newest state. It includes edits that are not stored yet, and all updates that were
   * committed up to `version`.
   */
  read<Result>(
    name: LiveDocumentName,
    version: number,
    read: (doc: Doc) => Result,
  ): Promise<Result>;
  /** Resolves once all edits that this process has received for the document are committed. */
  settle(name: LiveDocumentName): Promise<void>;
  /**
   * Applies a change that was committed as `version` to the document where it is open: part by part,
   * yielding to other work in between.
   */
  merge(name: LiveDocumentName, parts: readonly Uint8Array[], version: number): Promise<void>;
}
