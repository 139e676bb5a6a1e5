import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Services } from '../../api/context.ts';
import {
  recordTraffic,
  registerProcess,
  renewProcess,
  type Traffic,
} from '../../features/presence/connections.ts';
import type { PresencePlace } from '../../features/presence/read-presence.ts';
import { newId } from '../../platform/ids.ts';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import { BackgroundLoop, type LoopDependencies } from '../../platform/loops/background-loop.ts';
import type { Session } from '../live-connection.ts';

/** Short enough that one renewal may fail before the process counts as dead. */
const RENEW_INTERVAL_MS = 20_000;

type Dependencies = LoopDependencies & Pick<Services, 'db' | 'events' | 'clock'>;

/** A user who has a document open. A user who has closed it is kept until that is recorded. */
interface PresentUser extends PresencePlace {
  userId: string;
  /** A user may have several editors of one document open, in several windows. */
  sessions: Set<Session>;
  /** Whether the database has the user as connected to this process. */
  isRecorded: boolean;
}

/**
 * Records when users open and close documents in this process, and periodically that the process is
 * alive. Statements run one at a time, so that they keep their order.
 */
export class ConnectedUsers {
  readonly #deps: Dependencies;
  readonly #renewIntervalMs: number;
  /** Undefined until the process is registered. */
  #processId: string | undefined;
  readonly #users = new Map<string, PresentUser>();
  /** Users who have joined or left since they were last recorded. */
  readonly #changedUsers = new Set<PresentUser>();
  readonly #loop: BackgroundLoop;
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: Dependencies, renewIntervalMs = RENEW_INTERVAL_MS) {
    this.#deps = deps;
    this.#renewIntervalMs = renewIntervalMs;
    this.#loop = new BackgroundLoop(deps, {
      name: 'connected-users',
      everyMs: renewIntervalMs,
      run: () => this.#record(),
      failure: 'Users who opened or closed documents could not be recorded.',
    });
  }

  start(): void {
    this.#loop.start();
  }

  /**
   * Records the last users who left. If the database is unreachable, their presence times out instead.
   */
  async stop(): Promise<void> {
    await this.#loop.stop();
    if (this.#changedUsers.size === 0) return;
    await this.#record().catch((error: unknown) =>
      this.#deps.log.warn({ err: error }, 'The last users who left could not be recorded.'),
    );
  }

  join({ tenantId, organizationId, documentId }: LiveDocumentName, session: Session): void {
    const identity = { tenantId, organizationId, documentId, userId: session.userId };
    const key = keyOf(identity);
    const user = this.#users.get(key) ?? { ...identity, sessions: new Set(), isRecorded: false };
    this.#users.set(key, user);
    user.sessions.add(session);
    this.#markChanged(user);
  }

  leave(name: LiveDocumentName, session: Session): void {
    const user = this.#users.get(keyOf({ ...name, userId: session.userId }));
    if (!user?.sessions.delete(session)) return;
    this.#markChanged(user);
  }

  #markChanged(user: PresentUser): void {
    this.#changedUsers.add(user);
    this.#loop.wake();
  }

  async #record(): Promise<void> {
    // Users who join or leave together are recorded together.
    await nextTurn();
    const processId = await this.#registerOrRenew();
    const places = Map.groupBy(this.#changedUsers, ({ tenantId, organizationId, documentId }) =>
      JSON.stringify([tenantId, organizationId, documentId]),
    );
    for (const changed of places.values()) await this.#recordPlace(processId, changed);
  }

  async #recordPlace(processId: string, changed: PresentUser[]): Promise<void> {
    const [place] = changed;
    if (!place) return;
    const joined = changed.filter((user) => user.sessions.size > 0 && !user.isRecorded);
    const left = changed.filter((user) => user.sessions.size === 0 && user.isRecorded);
    // The marks are removed first, so that users who join or leave meanwhile are marked again.
    for (const user of changed) this.#changedUsers.delete(user);
    const traffic: Traffic = { place, joined: joined.map(idOf), left: left.map(idOf) };
    try {
      if (joined.length + left.length > 0) {
        await recordTraffic(this.#deps, processId, traffic);
      }
    } catch (error) {
      for (const user of changed) this.#changedUsers.add(user);
      throw error;
    }
    for (const user of joined) user.isRecorded = true;
    for (const user of left) user.isRecorded = false;
    for (const user of changed) this.#forgetIfGone(user);
  }

  #forgetIfGone(user: PresentUser): void {
    if (user.sessions.size > 0 || user.isRecorded || this.#changedUsers.has(user)) return;
    this.#users.delete(keyOf(user));
  }

  /**
   * Registers the process or renews its registration, and returns its id. While users are being
   * recorded, a recent registration is used as it is, which saves a statement. An older one is renewed first:
   * the process may have been paused for so long that it counts as dead.
   */
  async #registerOrRenew(): Promise<string> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    if (this.#processId !== undefined) {
      const isFresh = now - this.#renewedAt < this.#renewIntervalMs / 2;
      if (isFresh && this.#changedUsers.size > 0) return this.#processId;
      if (!(await renewProcess(db, this.#processId, now))) this.#forgetRegistration();
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
   * Marks all users to be recorded again under a new process id. Others have taken this process for dead, for
   * example after a database outage.
   */
  #forgetRegistration(): void {
    this.#processId = undefined;
    for (const user of this.#users.values()) {
      user.isRecorded = false;
      this.#changedUsers.add(user);
    }
  }
}

const idOf = ({ userId }: PresentUser): string => userId;

const keyOf = ({
  tenantId,
  organizationId,
  documentId,
  userId,
}: Omit<PresentUser, 'sessions' | 'isRecorded'>): string =>
  JSON.stringify([tenantId, organizationId, documentId, userId]);
