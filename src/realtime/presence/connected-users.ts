import { setImmediate as nextTurn } from 'node:timers/promises';
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
import { BackgroundLoop, type LoopParts } from '../../platform/loops/background-loop.ts';
import type { Session } from '../live-context.ts';

/** Short enough that one renewal may fail before the process counts as dead. */
const RENEW_INTERVAL_MS = 20_000;

interface Parts extends LoopParts {
  db: Database;
  events: EventLog;
  clock: Clock;
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
  readonly #loop: BackgroundLoop;
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts, renewIntervalMs = RENEW_INTERVAL_MS) {
    this.#parts = parts;
    this.#renewIntervalMs = renewIntervalMs;
    this.#loop = new BackgroundLoop(parts, {
      name: 'live presence: connected users',
      everyMs: renewIntervalMs,
      run: () => this.#record(),
      failure: 'Presence waits for the database.',
    });
  }

  start(): void {
    this.#loop.start();
  }

  /**
   * Records the last users who left. While the database is unreachable their presence times out
   * instead.
   */
  async stop(): Promise<void> {
    await this.#loop.stop();
    if (this.#changed.size === 0) return;
    await this.#record().catch((error: unknown) =>
      this.#parts.log.warn({ err: error }, 'The last users who left could not be recorded.'),
    );
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
    this.#loop.wake();
  }

  async #record(): Promise<void> {
    // Users who join or leave together are recorded together.
    await nextTurn();
    const processId = await this.#registerOrRenew();
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
    if (user.sessions.size > 0 || user.isRecorded || this.#changed.has(user)) return;
    const { tenantId, organizationId, documentId, userId } = user;
    this.#present.delete(JSON.stringify([tenantId, organizationId, documentId, userId]));
  }

  /**
   * Registers the process or renews its registration, and returns its id. While users are being
   * recorded, only an old renewal is repeated, since a process that was paused for long may count as dead.
   */
  async #registerOrRenew(): Promise<string> {
    const { db, clock } = this.#parts;
    const now = clock.now();
    if (this.#processId !== undefined) {
      const isFresh = now - this.#renewedAt < this.#renewIntervalMs / 2;
      if (isFresh && this.#changed.size > 0) return this.#processId;
      if (!(await renewProcess(db, this.#processId, now))) this.#registerAnew();
    }
    if (this.#processId === undefined) {
      const processId = newId();
      await registerProcess(db, processId, now);
      this.#processId = processId;
    }
    this.#renewedAt = now;
    return this.#processId;
  }

  /**
   * Records all users again. Call this when the process counted as dead, as after a database outage.
   */
  #registerAnew(): void {
    this.#processId = undefined;
    for (const user of this.#present.values()) {
      user.isRecorded = false;
      this.#changed.add(user);
    }
  }
}

const idOf = ({ userId }: Present): string => userId;
