import type { Document } from '@hocuspocus/server';
import type { Services } from '../../api/context.ts';
import { CREDENTIALS_CHANNEL } from '../../api/credentials/credential-cache.ts';
import { endExpired, endInvalid } from '../../api/subscriptions/stream-caller.ts';
import { changesAccess } from '../../features/access/access-events.ts';
import { existingLogs } from '../../features/crdt/log/logs.ts';
import { unixSeconds } from '../../platform/clock.ts';
import type { EventFeed, FeedEvent } from '../../platform/events/event-feed.ts';
import { BackgroundLoop, type LoopDependencies } from '../../platform/loops/background-loop.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import type { LiveHocuspocus } from '../hocuspocus-internals.ts';
import { connectionsTo, connectionsToAll } from '../live-connection.ts';
import { checkKeys } from './check-credentials.ts';
import { recheckAccess } from './recheck-access.ts';
import { requestTokens } from './renew-token.ts';

/** How often this process checks whether tokens and grants have expired. */
const EXPIRY_INTERVAL_MS = 250;
/** How often keys and token revocations are read, in case the notification of a change is lost. */
const KEYS_INTERVAL_MS = 400;
/** How often credentials are checked, in case they have become invalid in any other way. */
const CREDENTIALS_INTERVAL_MS = 5_000;

interface Dependencies extends LoopDependencies, Pick<Services, 'db' | 'clock' | 'quotas'> {
  store: DocumentStore;
  hocuspocus: LiveHocuspocus;
  feed: Pick<EventFeed, 'listen'>;
}

/** Closes or changes open connections when the access of their users changes. */
export class AccessWatch {
  readonly #deps: Dependencies;
  readonly #loops: BackgroundLoop[];
  /** The states of the keys in use at the last check (`checkKeys`). */
  readonly #keyStates = new Map<string, string>();
  /** How many changes of access this process has seen. Access that was loaded before the last one may be outdated. */
  accessChanges = 0;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    const { db, store, clock } = deps;
    const keysLoop = this.#createLoop('keys', KEYS_INTERVAL_MS, () => this.#checkKeys());
    deps.feed.listen(CREDENTIALS_CHANNEL, () => keysLoop.wake());
    this.#loops = [
      // Expired connections are closed in a loop of their own, which never waits for the database.
      this.#createLoop('tokens', EXPIRY_INTERVAL_MS, async () => {
        endExpired(connectionsToAll(store.all), unixSeconds(clock));
        requestTokens(store.all, unixSeconds(clock));
      }),
      this.#createLoop('grants', EXPIRY_INTERVAL_MS, () => this.#recheckExpired()),
      keysLoop,
      this.#createLoop('credentials', CREDENTIALS_INTERVAL_MS, () =>
        endInvalid(db, connectionsToAll(store.all)),
      ),
    ];
  }

  #createLoop(name: string, everyMs: number, run: () => Promise<void>): BackgroundLoop {
    const failure = 'The access of connected users could not be checked.';
    return new BackgroundLoop(this.#deps, { name: `live-access-${name}`, everyMs, run, failure });
  }

  start(): void {
    for (const loop of this.#loops) loop.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }

  /**
   * Counts changes of access. A connection compares the count before and after it is opened, to notice that
   * its access may be outdated. Call this with the events of all keys.
   */
  countChanges(events: FeedEvent[]): void {
    if (events.some(changesAccess)) this.accessChanges++;
  }

  /** Rechecks the connections that these events may affect. Events of keys without open documents may be left out. */
  async handleEvents(events: FeedEvent[]): Promise<void> {
    await this.#evictDeletedEditors(events.filter(({ type }) => type === 'crdt.update_data'));
    const accessEvents = events.filter(changesAccess);
    if (accessEvents.length === 0) return;
    // The document in memory is the deleted one, even if its id has been used again since.
    const documentDeletions = accessEvents.filter((event) => event.type === 'document.delete');
    await this.#evict((openDoc) => documentDeletions.some((event) => isOnDocument(event, openDoc)));
    // The event of a deleted user names one organization, but the user may be connected in others.
    const userDeletions = accessEvents.filter((event) => event.type === 'user.delete');
    const affectedDocuments = this.#openDocuments(({ name }) =>
      userDeletions.some(({ tenantId }) => tenantId === name.tenantId),
    );
    await endInvalid(this.#deps.db, connectionsToAll(affectedDocuments));
    await this.#recheck((openDoc) =>
      accessEvents.some((event) => isInOrganization(event, openDoc)),
    );
  }

  /** Rechecks a document for a user who connected while access changed. */
  async recheckDocument(document: Document): Promise<void> {
    await endInvalid(this.#deps.db, connectionsTo(document));
    await this.#recheck((openDoc) => openDoc.document === document);
  }

  async #checkKeys(): Promise<void> {
    const { db, quotas, store } = this.#deps;
    const states = this.#keyStates;
    if (await checkKeys({ db, quotas, states }, store.all)) this.accessChanges++;
  }

  async #recheckExpired(): Promise<void> {
    const now = unixSeconds(this.#deps.clock);
    await this.#recheck(({ document }) =>
      connectionsTo(document).some(
        ({ session: { accessExpiresAt = Number.POSITIVE_INFINITY } }) => now >= accessExpiresAt,
      ),
    );
  }

  #recheck(isAffected: (openDoc: OpenDocument) => boolean): Promise<void> {
    return recheckAccess(this.#deps, this.#openDocuments(isAffected));
  }

  async #evict(isAffected: (openDoc: OpenDocument) => boolean): Promise<void> {
    for (const openDoc of this.#openDocuments(isAffected)) {
      await this.#deps.hocuspocus.evict(openDoc.document, () => 'NOT_FOUND');
    }
  }

  /** Evicts documents whose content was deleted: `crdt.update_data` is published for deletions, too. */
  async #evictDeletedEditors(events: FeedEvent[]): Promise<void> {
    const candidates = this.#openDocuments(
      (openDoc) =>
        openDoc.logId !== undefined && events.some((event) => isOnDocument(event, openDoc)),
    );
    if (candidates.length === 0) return;
    const logIds = await existingLogs(
      this.#deps.db,
      candidates.map(({ name }) => name),
    );
    const deletedDocuments = new Set(candidates.filter(({ logId }) => !logIds.has(logId ?? '')));
    await this.#evict((openDoc) => deletedDocuments.has(openDoc));
  }

  #openDocuments(isAffected: (openDoc: OpenDocument) => boolean): OpenDocument[] {
    return [...this.#deps.store.all].filter(isAffected);
  }
}

const isInOrganization = (event: FeedEvent, { name }: OpenDocument): boolean =>
  event.tenantId === name.tenantId &&
  (event.organizationId === null || event.organizationId === name.organizationId);

const isOnDocument = (event: FeedEvent, openDoc: OpenDocument): boolean =>
  isInOrganization(event, openDoc) && event.documentId === openDoc.name.documentId;
