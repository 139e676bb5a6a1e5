import {
  type ConnectedUser,
  recordTraffic,
  renewConnections,
  type Traffic,
} from '../features/presence/connections.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { EventLog } from '../platform/events/event-log.ts';
import { newId } from '../platform/ids.ts';
import type { LiveDocumentName } from '../platform/live-documents.ts';
import type { Logger } from '../platform/logging.ts';
import type { Session } from './live-context.ts';
import { wait } from './wait.ts';

/** Often enough that two renewals may fail before a user lapses. */
const RENEW_INTERVAL_MS = 20_000;
const RETRY_MS = 500;

interface Parts {
  db: Database;
  events: EventLog;
  clock: Clock;
  log: Logger;
}

interface Present extends ConnectedUser {
  /** A user may have several editors of one document open, in several windows. */
  sessions: Set<Session>;
  isRecorded: boolean;
}

/**
 * Tells presence who has documents open in this process: who comes and goes at once, everybody
 * again and again. One statement at a time, so that none overtakes another.
 */
export class ConnectedUsers {
  readonly #parts: Parts;
  readonly #processId = newId();
  readonly #present = new Map<string, Present>();
  readonly #changed = new Set<Present>();
  readonly #stopping = new AbortController();
  #renewal: NodeJS.Timeout | undefined;
  #renewalIsDue = false;
  #work: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(): void {
    this.#renewal = setInterval(() => {
      this.#renewalIsDue = true;
      this.#wake();
    }, RENEW_INTERVAL_MS);
  }

  /** Tells of the last who left. While the database is away they are left to lapse. */
  async stop(): Promise<void> {
    clearInterval(this.#renewal);
    this.#stopping.abort();
    await this.#work;
  }

  join({ tenantId, organizationId, documentId }: LiveDocumentName, session: Session): void {
    const { userId } = session;
    const key = JSON.stringify([tenantId, organizationId, documentId, userId]);
    const user = { tenantId, organizationId, documentId, userId };
    const present = this.#present.get(key) ?? { ...user, sessions: new Set(), isRecorded: false };
    this.#present.set(key, present);
    present.sessions.add(session);
    this.#look(present);
  }

  leave({ tenantId, organizationId, documentId }: LiveDocumentName, session: Session): void {
    const key = JSON.stringify([tenantId, organizationId, documentId, session.userId]);
    const present = this.#present.get(key);
    if (!present?.sessions.delete(session)) return;
    this.#look(present);
  }

  #look(present: Present): void {
    this.#changed.add(present);
    this.#wake();
  }

  #wake(): void {
    // A turn later, so that those who come or go together are recorded together.
    this.#work ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#run());
  }

  async #run(): Promise<void> {
    while (this.#changed.size > 0 || this.#renewalIsDue) {
      try {
        await this.#recordChanged();
        await this.#renew();
      } catch (error) {
        this.#parts.log.warn({ err: error }, 'Presence waits for the database.');
        if (this.#stopping.signal.aborted) break;
        await wait(RETRY_MS, this.#stopping.signal);
      }
    }
    // In the same turn as the last look, so that nobody can come unseen in between.
    this.#work = undefined;
  }

  async #recordChanged(): Promise<void> {
    const places = Map.groupBy(this.#changed, ({ tenantId, organizationId, documentId }) =>
      JSON.stringify([tenantId, organizationId, documentId]),
    );
    for (const changed of places.values()) await this.#recordPlace(changed);
  }

  async #recordPlace(changed: Present[]): Promise<void> {
    const [place] = changed;
    if (!place) return;
    const joined = changed.filter((user) => user.sessions.size > 0 && !user.isRecorded);
    const left = changed.filter((user) => user.sessions.size === 0 && user.isRecorded);
    // Before the statement, so that who comes or goes meanwhile is looked at again.
    for (const user of changed) this.#changed.delete(user);
    const traffic: Traffic = { place, joined: joined.map(idOf), left: left.map(idOf) };
    try {
      if (joined.length + left.length > 0) {
        await recordTraffic(this.#parts, this.#processId, traffic);
      }
    } catch (error) {
      for (const user of changed) this.#changed.add(user);
      throw error;
    }
    for (const user of joined) user.isRecorded = true;
    for (const user of left) user.isRecorded = false;
    for (const user of changed) this.#forgetIfGone(user);
  }

  #forgetIfGone(user: Present): void {
    if (user.sessions.size > 0 || user.isRecorded) return;
    const { tenantId, organizationId, documentId, userId } = user;
    this.#present.delete(JSON.stringify([tenantId, organizationId, documentId, userId]));
  }

  async #renew(): Promise<void> {
    if (!this.#renewalIsDue) return;
    const recorded = [...this.#present.values()].filter((user) => user.isRecorded);
    const { db, clock } = this.#parts;
    await renewConnections(db, this.#processId, recorded, clock.now());
    this.#renewalIsDue = false;
  }
}

const idOf = ({ userId }: Present): string => userId;
