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

/** Short enough that one renewal may fail before the process counts as dead. */
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
 * Records the users who have documents open in this process: joining and leaving at once, and
 * periodically that the process is alive. Statements run one at a time, so that they keep their order.
 */
export class ConnectedUsers {
  readonly #parts: Parts;
  readonly #renewIntervalMs: number;
  /** Undefined until the process is registered. */
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

  /** Records the last users who left. While the database is away their presence times out instead. */
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
    // The run starts a turn later, so that users who join or leave together are recorded together.
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
    // This runs in the turn of the last check, so that nobody can join unseen in between.
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
    // The marks are removed first, so that users who join or leave meanwhile are marked again.
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

  /** @returns the current id of the process */
  async #renewed(): Promise<string> {
    const { db, clock } = this.#parts;
    const now = clock.now();
    if (this.#processId !== undefined) {
      // After a pause of the process the renewal is late, and must precede the record of a user.
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

  /** The process counted as dead, as after a long database outage, so all users are recorded again. */
  #registerAnew(): void {
    this.#processId = undefined;
    for (const user of this.#present.values()) {
      user.isRecorded = false;
      this.#changed.add(user);
    }
  }
}

const idOf = ({ userId }: Present): string => userId;
