import type { Connection, Document } from '@hocuspocus/server';
import { tokenRefused } from '../../api/credentials/user-tokens.ts';
import type { Quotas } from '../../api/quotas/quotas.ts';
import { endedCallers, keyFailure } from '../../api/subscriptions/stream-caller.ts';
import { changesAccess } from '../../features/access/access-events.ts';
import { type AccessFacts, loadAccess } from '../../features/access/load-access.ts';
import { existingLogs } from '../../features/crdt/log/tombstones.ts';
import { type Clock, unixSeconds } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { FeedEvent } from '../../platform/events/event-feed.ts';
import type { Logger } from '../../platform/logging.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import type { LiveContext, Session } from '../live-context.ts';
import type { LiveHocuspocus } from '../live-hocuspocus.ts';
import { closing, closingFor } from '../sockets/refusal.ts';
import { keyStates } from './key-states.ts';
import { followStorage, setReadOnly } from './read-only.ts';

/** How late the end of a token or a grant may be noticed. */
const EXPIRY_INTERVAL_MS = 250;
/** How late it may be noticed that a key was disabled, its tokens reset or its domains changed. */
const KEYS_INTERVAL_MS = 400;
/** How late it may be noticed that a user is being erased, which no event says yet. */
const CREDENTIALS_INTERVAL_MS = 5_000;

interface Parts {
  db: Database;
  clock: Clock;
  log: Logger;
  store: DocumentStore;
  hocuspocus: LiveHocuspocus;
  quotas: Quotas;
}

/** Closes or changes open connections when the access of their users changes. */
export class AccessWatch {
  readonly #parts: Parts;
  readonly #timers: NodeJS.Timeout[] = [];
  #credentialCheck: Promise<void> | undefined;
  #keyCheck: Promise<void> | undefined;
  #changes = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** How many changes were seen. Access that was loaded before the latest may be outdated. */
  get changes(): number {
    return this.#changes;
  }

  start(): void {
    this.#timers.push(
      setInterval(() => this.#endExpired(), EXPIRY_INTERVAL_MS),
      setInterval(() => this.#recheckKeys(), KEYS_INTERVAL_MS),
      setInterval(() => this.#recheckCredentials(), CREDENTIALS_INTERVAL_MS),
    );
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#credentialCheck;
    await this.#keyCheck;
  }

  /** Checks the connections again that events may affect. */
  async follow(events: FeedEvent[]): Promise<void> {
    await this.#evictDeletedEditors(events.filter(({ type }) => type === 'crdt.update_data'));
    const relevant = events.filter(changesAccess);
    if (relevant.length === 0) return;
    this.#changes++;
    // The document in memory is the deleted one, even if its id has been used again since.
    const deleted = relevant.filter((event) => event.type === 'document.delete');
    await this.#evict((open) => deleted.some((event) => isOf(event, open)));
    // The event of a deleted user names one organization, but the user may be connected in others.
    const without = relevant.filter((event) => event.type === 'user.delete');
    await this.#closeEnded(({ name }) =>
      without.some(({ tenantId }) => tenantId === name.tenantId),
    );
    await this.recheck((open) => relevant.some((event) => isNear(event, open)));
  }

  /** Loads the access of everybody who has one of these documents open. */
  async recheck(which: (open: OpenDocument) => boolean): Promise<void> {
    const places = Map.groupBy([...this.#parts.store.all].filter(which), ({ name }) =>
      JSON.stringify([name.tenantId, name.organizationId]),
    );
    for (const opens of places.values()) await this.#recheckOrganization(opens);
  }

  /** Checks a document again for a user who connected while access changed. */
  async recheckDocument(document: Document): Promise<void> {
    await this.#closeEnded((open) => open.document === document);
    await this.recheck((open) => open.document === document);
  }

  #recheckCredentials(): void {
    this.#credentialCheck ??= this.#closeEnded(() => true)
      .catch((error: unknown) =>
        this.#parts.log.warn({ err: error }, 'Credentials could not be looked up again.'),
      )
      .finally(() => {
        this.#credentialCheck = undefined;
      });
  }

  /** Closes connections whose tokens have become invalid, with one statement for all. */
  async #closeEnded(which: (open: OpenDocument) => boolean): Promise<void> {
    const present = [...this.#parts.store.all]
      .filter(which)
      .flatMap((open) => sessionsOf(open).map((one) => ({ ...one, tenantId: open.name.tenantId })));
    const byCaller = Map.groupBy(present, ({ tenantId, session: { userId, era, origin } }) =>
      JSON.stringify([tenantId, userId, era, origin]),
    );
    const callers = [...byCaller.values()].flatMap((same) =>
      same.slice(0, 1).map(({ tenantId, session: { userId, era, origin } }) => {
        const none = { tokenEndsAt: undefined, tokenHash: undefined };
        return { tenantId, userId, era, origin, same, ...none };
      }),
    );
    for (const { caller, failure } of await endedCallers(this.#parts.db, callers)) {
      for (const { connection } of caller.same) connection.close(closingFor(failure));
    }
  }

  #recheckKeys(): void {
    this.#keyCheck ??= this.#closeByKey()
      .catch((error: unknown) =>
        this.#parts.log.warn({ err: error }, 'API keys could not be looked up again.'),
      )
      .finally(() => {
        this.#keyCheck = undefined;
      });
  }

  /** Checks all connections by one row for each key in use. */
  async #closeByKey(): Promise<void> {
    const byTenant = Map.groupBy(this.#parts.store.all, ({ name }) => name.tenantId);
    const states = await keyStates(this.#parts.db, [...byTenant.keys()]);
    for (const [tenantId, opens] of byTenant) {
      const state = states.get(tenantId);
      if (!state) continue;
      for (const { connection, session } of opens.flatMap(sessionsOf)) {
        const failure = keyFailure(state, session);
        if (failure) connection.close(closingFor(failure));
      }
      const isUsedUp = await this.#parts.quotas.of(tenantId, state.quotas)?.isStorageUsedUp();
      for (const { connection, session } of opens.flatMap(sessionsOf)) {
        followStorage(connection, session, isUsedUp ?? false);
      }
    }
  }

  /**
   * Checks the documents of one organization, whose facts are loaded together. Users who connect in
   * between are left out, since their access is loaded later than these facts.
   */
  async #recheckOrganization(opens: OpenDocument[]): Promise<void> {
    const [first] = opens;
    if (!first) return;
    const { tenantId, organizationId } = first.name;
    const present = opens.map((open) => ({ open, sessions: sessionsOf(open) }));
    const userIds = present.flatMap(({ sessions }) =>
      sessions.map(({ session }) => session.userId),
    );
    const facts = await loadAccess(this.#parts.db, {
      tenantId,
      organizationId,
      userIds: [...new Set(userIds)],
      folderIds: [],
      documentIds: [...new Set(opens.map(({ name }) => name.documentId))],
    });
    const now = unixSeconds(this.#parts.clock);
    for (const { open, sessions } of present) {
      const { documentId } = open.name;
      if (facts.document('', documentId, now)) applyAccess(sessions, facts, documentId, now);
      else await this.#parts.hocuspocus.evict(open.document, () => 'NOT_FOUND');
    }
  }

  async #evict(which: (open: OpenDocument) => boolean): Promise<void> {
    for (const open of [...this.#parts.store.all].filter(which)) {
      await this.#parts.hocuspocus.evict(open.document, () => 'NOT_FOUND');
    }
  }

  /** Evicts deleted content, for which `crdt.update_data` is published like for an update. */
  async #evictDeletedEditors(events: FeedEvent[]): Promise<void> {
    const near = [...this.#parts.store.all].filter(
      (open) => open.logId !== undefined && events.some((event) => isOf(event, open)),
    );
    if (near.length === 0) return;
    const logIds = await existingLogs(
      this.#parts.db,
      near.map(({ name }) => name),
    );
    const deleted = new Set(near.filter(({ logId }) => !logIds.has(logId ?? '')));
    await this.#evict((open) => deleted.has(open));
  }

  #endExpired(): void {
    const now = unixSeconds(this.#parts.clock);
    const changed = new Set<OpenDocument>();
    for (const open of this.#parts.store.all) {
      for (const { connection, session } of sessionsOf(open)) {
        if (now >= session.tokenExpiresAt) connection.close(EXPIRED);
        else if (now >= (session.accessExpiresAt ?? Number.POSITIVE_INFINITY)) changed.add(open);
      }
    }
    if (changed.size === 0) return;
    this.recheck((open) => changed.has(open)).catch((error: unknown) =>
      this.#parts.log.warn({ err: error }, 'Access could not be looked up again.'),
    );
  }
}

const EXPIRED = closingFor(tokenRefused('TOKEN_EXPIRED'));

interface Present {
  connection: Connection<LiveContext>;
  session: Session;
}

function sessionsOf({ document }: OpenDocument): Present[] {
  return document.getConnections().flatMap((connection: Connection<LiveContext>) => {
    const { session } = connection.context;
    return session ? [{ connection, session }] : [];
  });
}

function applyAccess(
  sessions: Present[],
  facts: AccessFacts,
  documentId: string,
  now: number,
): void {
  for (const { connection, session } of sessions) {
    const access = facts.document(session.userId, documentId, now);
    if (access?.allowed) {
      session.accessExpiresAt = access.grant?.expiresAt ?? undefined;
      session.isEditor = access.accessRole === 'editor';
      setReadOnly(connection, !session.isEditor || session.isStorageUsedUp);
    } else {
      connection.close(closing('PERMISSION_DENIED'));
    }
  }
}

const isNear = (event: FeedEvent, { name }: OpenDocument): boolean =>
  event.tenantId === name.tenantId &&
  (event.organizationId === null || event.organizationId === name.organizationId);

const isOf = (event: FeedEvent, open: OpenDocument): boolean =>
  isNear(event, open) && event.documentId === open.name.documentId;
