import {
  recordTraffic,
  registerProcess,
  renewProcess,
  type Traffic,
} from '../../features/presence/connections.ts';
import type { PresencePlace } from '../../features/presence/read-presence.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import { newId } from '../../platform/ids.ts';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Session } from '../live-context.ts';
import { wait } from '../wait.ts';

/** Often enough that a renewal may fail before the process is taken for dead. */
const RENEW_INTERVAL_MS = 20_000;
const RETRY_MS = 500;

interface Parts {
  db: Database;
  events: EventLog;
  clock: Clock;
  log: Logger;
}

interface Present extends PresencePlace {
  userId: string;
  /** A user may have several editors of one document open, in several windows. */
  sessions: Set<Session>;
  isRecorded: boolean;
}

/**
 * Tells presence who has documents open in this process: who comes and goes at once, and again and
 * again that the process lives. One statement at a time, so that none overtakes another.
 */
export class ConnectedUsers {
  readonly #parts: Parts;
  readonly #renewIntervalMs: number;
  /** Undefined until it is registered. */
  #processId: string | undefined;
  readonly #present = new Map<string, Present>();
  readonly #changed = new Set<Present>();
  readonly #stopping = new AbortController();
  #renewal: NodeJS.Timeout | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #renewalIsDue = true;
  #work: Promise<void> | undefined;

  constructor(parts: Parts, renewIntervalMs = RENEW_INTERVAL_MS) {
    this.#parts = parts;
    this.#renewIntervalMs = renewIntervalMs;
  }

  start(): void {
    this.#renewal = setInterval(() => {
      this.#renewalIsDue = true;
      this.#wake();
    }, this.#renewIntervalMs);
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
    this.#markChanged(present);
  }

  leave({ tenantId, organizationId, documentId }: LiveDocumentName, session: Session): void {
    const key = JSON.stringify([tenantId, organizationId, documentId, session.userId]);
    const present = this.#present.get(key);
    if (!present?.sessions.delete(session)) return;
    this.#markChanged(present);
  }

  #markChanged(present: Present): void {
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
        const processId = await this.#renewed();
        await this.#recordChanged(processId);
      } catch (error) {
        this.#parts.log.warn({ err: error }, 'Presence waits for the database.');
        if (this.#stopping.signal.aborted) break;
        await wait(RETRY_MS, this.#stopping.signal);
      }
    }
    // In the same turn as the last look, so that nobody can come unseen in between.
    this.#work = undefined;
  }

  async #recordChanged(processId: string): Promise<void> {
    const places = Map.groupBy(this.#changed, ({ tenantId, organizationId, documentId }) =>
      JSON.stringify([tenantId, organizationId, documentId]),
    );
    for (const changed of places.values()) await this.#recordPlace(processId, changed);
  }

  async #recordPlace(processId: string, changed: Present[]): Promise<void> {
    const [place] = changed;
    if (!place) return;
    const joined = changed.filter((user) => user.sessions.size > 0 && !user.isRecorded);
    const left = changed.filter((user) => user.sessions.size === 0 && user.isRecorded);
    // Before the statement, so that who comes or goes meanwhile is looked at again.
    for (const user of changed) this.#changed.delete(user);
    const traffic: Traffic = { place, joined: joined.map(idOf), left: left.map(idOf) };
    try {
      if (joined.length + left.length > 0) {
        await recordTraffic(this.#parts, processId, traffic);
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

  /** @returns the id that the process goes by now */
  async #renewed(): Promise<string> {
    const { db, clock } = this.#parts;
    const now = clock.now();
    if (this.#processId !== undefined) {
      // Whoever comes late, after a pause of the process, is to be shown at once.
      const isFresh = now - this.#renewedAt < this.#renewIntervalMs;
      if (isFresh && !this.#renewalIsDue) return this.#processId;
      if (!(await renewProcess(db, this.#processId, now))) this.#registerAnew();
    }
    if (this.#processId === undefined) {
      const processId = newId();
      await registerProcess(db, processId, now);
      this.#processId = processId;
    }
    this.#renewedAt = now;
    this.#renewalIsDue = false;
    return this.#processId;
  }

  /** It was taken for dead, as after a long time without the database: all have to be told of again. */
  #registerAnew(): void {
    this.#processId = undefined;
    for (const user of this.#present.values()) {
      user.isRecorded = false;
      this.#changed.add(user);
    }
  }
}

const idOf = ({ userId }: Present): string => userId;
