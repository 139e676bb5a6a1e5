import {
  type Document,
  Hocuspocus,
  type HookName,
  type HookPayloadByName,
} from '@hocuspocus/server';
import type { Status } from '../platform/errors.ts';
import { connectionsTo, type LiveConnection } from './live-connection.ts';

/*
 * All uses of undocumented parts of Hocuspocus are in this file. When an upgrade changes any of them,
 * `test/realtime/hocuspocus-internals.test.ts` fails.
 */

type CreateArguments = Parameters<Hocuspocus['createDocument']>;
type StoreArguments = Parameters<Hocuspocus['storeDocumentHooks']>;
type Hook = (payload: unknown) => unknown;

/**
 * Hocuspocus with safe unloading, and with errors in our log. Hocuspocus 4.7 itself may unload a document
 * that it has just returned, because the caller does not count as a connection yet. Later edits then reach
 * nobody. It also never destroys a document that failed to load.
 */
export class LiveHocuspocus extends Hocuspocus {
  /** How often each document was returned within the last turn of the event loop. */
  readonly #handedOut = new Map<Document, number>();
  /** Whether a document must stay in memory even without connections. */
  mustStayLoaded: (document: Document) => boolean = () => false;
  /** Called when a document cannot be loaded, to remove what is left of it. */
  onLoadFailed: (key: string) => void = () => undefined;
  /** Called when a hook fails. */
  onHookFailed: (hook: HookName, error: unknown) => void = () => undefined;

  /** Runs hooks as Hocuspocus does, but without writing errors to the console. */
  override async hooks<Name extends HookName>(
    name: Name,
    payload: HookPayloadByName[Name],
    // biome-ignore lint/complexity/noBannedTypes: as it is in Hocuspocus
    callback: Function | null = null,
  ): Promise<unknown> {
    const extensions = this.configuration.extensions.filter(
      (extension) => typeof extension[name] === 'function',
    );
    // Hooks start after the caller has continued, as in Hocuspocus.
    await undefined;
    let result: unknown;
    for (const extension of extensions) {
      try {
        result = await (extension[name] as Hook).call(extension, payload);
      } catch (error) {
        this.onHookFailed(name, error);
        throw error;
      }
      if (callback) result = await callback(result);
    }
    return result;
  }

  override async createDocument(...parameters: CreateArguments): Promise<Document> {
    const [key] = parameters;
    for (;;) {
      const existing = this.documents.get(key);
      // Otherwise, it could be unloaded during the `await` below.
      if (existing) this.#keepForOneTurn(existing);
      const document = await super.createDocument(...parameters);
      if (!document.isDestroyed) {
        this.#keepForOneTurn(document);
        return document;
      }
      // The document was evicted while it was loading. Hocuspocus has added it nevertheless.
      if (this.documents.get(key) === document) this.documents.delete(key);
    }
  }

  /** Opens a document. Without a connection, it stays in memory for one turn of the event loop. */
  open(key: string): Promise<Document> {
    const connection = { isAuthenticated: true, readOnly: false };
    return this.createDocument(key, new Request('http://localhost'), '', connection);
  }

  override async loadDocument(...parameters: CreateArguments): Promise<Document> {
    try {
      return await super.loadDocument(...parameters);
    } catch (error) {
      this.onLoadFailed(parameters[0]);
      throw error;
    }
  }

  /**
   * Schedules the hook `onStoreDocument` with the first edit only, not again with each edit. The hook only
   * compacts the log (document-store.ts) and unloads the document, once all connections are closed.
   */
  override storeDocumentHooks(...parameters: StoreArguments): Promise<unknown> {
    const [document, , immediately] = parameters;
    const isScheduled = this.debouncer.isDebounced(`onStoreDocument-${document.name}`);
    const isInUse = document.connections.size > 0;
    if (isScheduled && isInUse && !immediately) return Promise.resolve();
    return super.storeDocumentHooks(...parameters);
  }

  /** Keeps a document in memory for one turn, after which the caller counts as a connection. */
  #keepForOneTurn(document: Document): void {
    this.#handedOut.set(document, (this.#handedOut.get(document) ?? 0) + 1);
    setImmediate(() => {
      const count = (this.#handedOut.get(document) ?? 1) - 1;
      if (count > 0) {
        this.#handedOut.set(document, count);
      } else {
        this.#handedOut.delete(document);
        this.unloadIfUnused(document);
      }
    });
  }

  override shouldUnloadDocument(document: Document): boolean {
    const mustStay = this.#handedOut.has(document) || this.mustStayLoaded(document);
    return !mustStay && super.shouldUnloadDocument(document);
  }

  /** Whether a document is in memory or being loaded. */
  isOpen(key: string): boolean {
    return this.documents.has(key) || this.loadingDocuments.has(key);
  }

  /** Compacts or unloads a document once its last connection is closed, as Hocuspocus does. */
  connectionClosed(document: Document): void {
    if (document.connections.size > 0) return;
    const taskName = `onStoreDocument-${document.name}`;
    if (this.debouncer.isDebounced(taskName)) this.debouncer.executeNow(taskName);
    else this.unloadIfUnused(document);
  }

  /** Unloads the document if it is no longer used. */
  unloadIfUnused(document: Document): void {
    this.unloadDocument(document).catch(() => undefined);
  }

  /**
   * Removes a document from memory at once, because it was deleted, is being deleted, or cannot be stored.
   *
   * @param statusFor returns the status with which a connection is closed
   */
  async evict(
    document: Document,
    statusFor: (connection: LiveConnection) => Status,
  ): Promise<void> {
    if (this.documents.get(document.name) === document) this.documents.delete(document.name);
    for (const connection of connectionsTo(document)) connection.closeFor(statusFor(connection));
    if (document.isDestroyed) return;
    document.destroy();
    await this.hooks('afterUnloadDocument', { instance: this, documentName: document.name });
  }

  /** Destroys all documents, and then the extensions. */
  async close(): Promise<void> {
    for (const document of this.documents.values()) document.destroy();
    await this.hooks('onDestroy', { instance: this });
    // Timers of Hocuspocus may still fire. Without extensions, they call nothing.
    this.configuration.extensions = [];
  }
}

/**
 * Returns the Yjs clients whose awareness states came from a connection. Hocuspocus removes these
 * states when the connection closes.
 */
export const shownClients = (document: Document, connection: LiveConnection): Set<number> =>
  document.getClients(connection);
