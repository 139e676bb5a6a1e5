import {
  type Connection,
  type Document,
  Hocuspocus,
  type HookName,
  type HookPayloadByName,
} from '@hocuspocus/server';
import type { Status } from '../platform/errors.ts';
import type { LiveContext } from './live-context.ts';
import { end, Refusal } from './sockets/refusal.ts';

type CreateArguments = Parameters<Hocuspocus<LiveContext>['createDocument']>;
type StoreArguments = Parameters<Hocuspocus<LiveContext>['storeDocumentHooks']>;
type Hook = (payload: unknown) => unknown;

/**
 * Hocuspocus, with the care it does not take itself about when a document may leave memory. Seen in
 * 4.7: a document that is handed out can be unloaded before its receiver holds on to it, and what
 * is then written to it reaches nobody; and a document whose load failed is never destroyed.
 */
export class LiveHocuspocus extends Hocuspocus<LiveContext> {
  /** Documents that were just handed out. */
  readonly #handedOut = new Map<Document, number>();
  /** Keeps a document in memory, whoever has left. */
  mustStayLoaded: (document: Document) => boolean = () => false;
  /** Lets go of what a failed load left behind. */
  onLoadFailed: (key: string) => void = () => undefined;
  /** What to tell a client whose document cannot be loaded. */
  refuseLoad: (error: unknown, context: LiveContext) => unknown = (error) => error;
  /** Hears of what goes wrong in a hook, refusals apart. */
  onHookFailed: (hook: HookName, error: unknown) => void = () => undefined;

  /** As in Hocuspocus, which writes what goes wrong to the console, where nobody looks for it. */
  override async hooks<Name extends HookName>(
    name: Name,
    payload: HookPayloadByName<LiveContext>[Name],
    // biome-ignore lint/complexity/noBannedTypes: as it is in Hocuspocus
    callback: Function | null = null,
  ): Promise<unknown> {
    const extensions = this.configuration.extensions.filter(
      (extension) => typeof extension[name] === 'function',
    );
    // Not before the caller has gone on, as there.
    await undefined;
    let result: unknown;
    for (const extension of extensions) {
      try {
        result = await (extension[name] as Hook).call(extension, payload);
      } catch (error) {
        if (!(error instanceof Refusal)) this.onHookFailed(name, error);
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
      if (existing) this.#hold(existing);
      const document = await this.#create(parameters);
      if (document.isDestroyed) continue;
      this.#hold(document);
      return document;
    }
  }

  async #create(parameters: CreateArguments): Promise<Document> {
    try {
      return await super.createDocument(...parameters);
    } catch (error) {
      const context = parameters[4];
      throw context?.socket ? this.refuseLoad(error, context) : error;
    }
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
   * Planned with the first edit, and not anew with each that follows. It does no more than to compact
   * the log (document-store.ts) and to unload, which waits for everybody to leave.
   */
  override storeDocumentHooks(
    ...[document, payload, immediately]: StoreArguments
  ): Promise<unknown> {
    const isPlanned = this.debouncer.isDebounced(`onStoreDocument-${document.name}`);
    const isInUse = document.connections.size > 0;
    if (isPlanned && isInUse && !immediately) return Promise.resolve();
    return super.storeDocumentHooks(document, payload, immediately);
  }

  /** For a turn: by then the receiver has counted itself among the document's connections. */
  #hold(document: Document): void {
    this.#handedOut.set(document, (this.#handedOut.get(document) ?? 0) + 1);
    setImmediate(() => {
      const held = (this.#handedOut.get(document) ?? 1) - 1;
      if (held > 0) this.#handedOut.set(document, held);
      else this.#handedOut.delete(document);
      if (held === 0) this.unloadIfUnused(document);
    });
  }

  override shouldUnloadDocument(document: Document): boolean {
    const stays = this.#handedOut.has(document) || this.mustStayLoaded(document);
    return !stays && super.shouldUnloadDocument(document);
  }

  /** Unloads the document if nothing and nobody needs it. */
  unloadIfUnused(document: Document): void {
    this.unloadDocument(document).catch(() => undefined);
  }

  /**
   * Removes a document at once, with what is in memory: it has no place in the database any more.
   *
   * @param statusFor why a connection to it is closed
   */
  async evict(
    document: Document,
    statusFor: (connection: Connection<LiveContext>) => Status,
  ): Promise<void> {
    if (this.documents.get(document.name) === document) this.documents.delete(document.name);
    for (const connection of document.getConnections()) end(connection, statusFor(connection));
    if (document.isDestroyed) return;
    document.destroy();
    await this.hooks('afterUnloadDocument', { instance: this, documentName: document.name });
  }
}
