import { createHash } from 'node:crypto';
import type { Document } from '@hocuspocus/server';
import { applyAwarenessUpdate } from 'y-protocols/awareness';
import type { Services } from '../../api/context.ts';
import { type ManualPresence, readManualPresence } from '../../features/presence/connections.ts';
import type { FeedEvent } from '../../platform/events/event-feed.ts';
import { BackgroundLoop, type LoopDependencies } from '../../platform/loops/background-loop.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import type { State } from './awareness-identity.ts';
import { writeAwareness } from './awareness-message.ts';

/** Clients drop states that are not renewed for 30 s. */
const RENEW_INTERVAL_MS = 10_000;

interface Dependencies extends LoopDependencies, Pick<Services, 'db' | 'clock'> {
  store: DocumentStore;
}

/**
 * Shows connected editors the presence that was set through REST, as awareness states
 * `{ user: { id, name }, status }`. Every process follows the event log and shows the stored presence to
 * its own editors, so this works without Redis, and recovers from failures by itself.
 */
export class ManualPresencePublisher {
  readonly #deps: Dependencies;
  /** The Yjs clients whose states this shows, by document. */
  readonly #shownClients = new WeakMap<Document, Set<number>>();
  readonly #loop: BackgroundLoop;
  /** Documents whose presence may have changed since it was shown. */
  #changed = new Set<Document>();
  #renewedAt = 0;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#loop = new BackgroundLoop(deps, {
      name: 'manual-presence',
      everyMs: RENEW_INTERVAL_MS,
      run: () => this.#refresh(),
      failure: 'Presence could not be shown to editors.',
    });
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  handleEvents(events: FeedEvent[]): void {
    const updates = events.filter(({ type }) => type === 'presence.update');
    if (updates.length === 0) return;
    for (const { name, document } of this.#deps.store.all) {
      const isChanged = updates.some(
        ({ tenantId, organizationId, documentId }) =>
          tenantId === name.tenantId &&
          organizationId === name.organizationId &&
          documentId === name.documentId,
      );
      if (isChanged) this.showIn(document);
    }
  }

  /** Shows the current presence in a document. */
  showIn(document: Document): void {
    this.#changed.add(document);
    this.#loop.wake();
  }

  /** Shows presence in the changed documents, or in all of them when it must be renewed. */
  async #refresh(): Promise<void> {
    const changed = this.#changed;
    const isDue = performance.now() - this.#renewedAt >= RENEW_INTERVAL_MS;
    const isRenewal = isDue || changed.size === 0;
    this.#changed = new Set();
    try {
      const { all } = this.#deps.store;
      await this.#show([...all].filter(({ document }) => isRenewal || changed.has(document)));
    } catch (error) {
      for (const document of changed) this.#changed.add(document);
      throw error;
    }
    if (isRenewal) this.#renewedAt = performance.now();
  }

  async #show(documents: OpenDocument[]): Promise<void> {
    const { db, clock } = this.#deps;
    const names = documents.map(({ name }) => name);
    const presences = await readManualPresence(db, names, clock.now());
    for (const [index, { document }] of documents.entries()) {
      this.#publish(document, presences[index] ?? []);
    }
  }

  #publish(document: Document, presences: ManualPresence[]): void {
    const previousClients = this.#shownClients.get(document) ?? new Set();
    if (document.isDestroyed || (presences.length === 0 && previousClients.size === 0)) return;
    const states = new Map(
      presences.map((user) => [clientIdFor(user.userId), presenceState(user)]),
    );
    const now = this.#deps.clock.now();
    // The highest clock wins. Clients remember clocks for longer than a document stays in memory here, so
    // the clock is at least the current time.
    const clockOf = (clientId: number) =>
      Math.max((document.awareness.meta.get(clientId)?.clock ?? 0) + 1, now);
    const update = writeAwareness(
      [...new Set([...states.keys(), ...previousClients])].map((clientId) => ({
        clientId,
        clock: clockOf(clientId),
        state: states.get(clientId) ?? null,
      })),
    );
    applyAwarenessUpdate(document.awareness, update, { source: 'local' });
    this.#shownClients.set(document, new Set(states.keys()));
  }
}

/** The state has no email, since users in editors must not see the email addresses of others. */
const presenceState = ({ userId, name, status }: ManualPresence): State => ({
  user: { id: userId, ...(name !== null && { name }) },
  status,
});

/** Derives the same Yjs client id in every process, so that a user is shown once. */
const clientIdFor = (userId: string): number =>
  createHash('sha256').update(userId).digest().readUInt32BE();
