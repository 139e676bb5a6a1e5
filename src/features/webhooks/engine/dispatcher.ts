import type { Agent } from 'undici';
import type { Services } from '../../../api/context.ts';
import { newId } from '../../../platform/ids.ts';
import { createOutboundAgent } from '../../../platform/outbound/agent.ts';
import type { RunningWorker, Worker } from '../../../platform/worker.ts';
import type { QueueKey } from '../queues.ts';
import { fillLanes, noticeChanges } from './fill-lanes.ts';
import { Lane, type ReadyDelivery } from './lane.ts';
import { type LaneLimits, Lanes } from './lanes.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { type PostResult, post, TIMEOUT_MS } from './post.ts';
import { claimQueues, endLease, freeQueuesOfTheDead, renewLease } from './queue-store.ts';
import { Recorder } from './recorder.ts';
import { releaseAll, releaseIdle } from './release-lanes.ts';

/** How late a worker sees what another process made due, or a retry whose time has come. */
const POLL_MS = 200;
const RENEW_MS = 1_000;
/** Well before others take it for dead, a worker that cannot renew its lease stops sending. */
const LEASE_DOUBT_MS = 4_000;
const CLAIM = 100;
/** At a stop, what is under way gets so long; then it is sent again, by whoever goes on. */
const STOP_MS = 2_000;

export const webhookWorker: Worker<Services> = {
  start(services) {
    const dispatcher = new Dispatcher(services);
    dispatcher.start();
    return dispatcher;
  },
};

/** Delivers webhooks: takes over the queues of endpoints, and sends what is due in them. */
export class Dispatcher implements RunningWorker {
  readonly #ctx: Services;
  readonly #agent: Agent;
  readonly #recorder: Recorder;
  readonly #lanes: Lanes;
  #worker = newId();
  /** When the lease was renewed last, by the clock of `performance`. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #timers: NodeJS.Timeout[] = [];
  #turning: Promise<void> | undefined;
  #renewing: Promise<void> | undefined;
  #isWoken = false;
  #mayClaim = false;
  #isStopped = false;
  #onIdle: (() => void) | undefined;

  constructor(ctx: Services, limits?: LaneLimits) {
    this.#ctx = ctx;
    this.#lanes = new Lanes(limits);
    const timeouts = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
    this.#agent = createOutboundAgent(ctx.config.outboundAllowedNetworks, timeouts);
    this.#recorder = new Recorder(ctx, (outcomes) => this.#recorded(outcomes));
  }

  start(): void {
    this.#ctx.wakeUps.on('deliveries', this.#look);
    this.#timers = [
      setInterval(() => this.#look(), POLL_MS),
      setInterval(() => this.#keepLease(), RENEW_MS),
    ];
    this.#keepLease();
  }

  /** Lets what is under way end, within limits, and lets go of the queues. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#ctx.wakeUps.off('deliveries', this.#look);
    for (const timer of this.#timers) clearInterval(timer);
    for (const lane of this.#lanes.all()) clearTimeout(lane.timer);
    await Promise.all([this.#turning, this.#renewing]);
    await this.#untilIdle();
    await this.#recorder.stop();
    await this.#agent.destroy();
    if (this.#timers.length > 0) await this.#endLease().catch(() => undefined);
  }

  async #endLease(): Promise<void> {
    await releaseAll(this.#ctx, this.#worker, this.#lanes);
    await endLease(this.#ctx.db, this.#worker);
  }

  /** Something may be due, in these queues or anywhere. */
  #look = (queues?: QueueKey[]): void => {
    const lanes = queues?.map((queue) => this.#lanes.get(queue));
    for (const lane of lanes ?? []) lane?.tell();
    this.#mayClaim ||= lanes === undefined || lanes.includes(undefined);
    this.#wake();
  };

  #wake(): void {
    this.#isWoken = true;
    if (this.#isStopped) return;
    this.#turning ??= this.#turn();
  }

  async #turn(): Promise<void> {
    await this.#guarded(() => this.#turnWhileWoken());
    this.#turning = undefined;
    // A call to wake may have come after the last look.
    if (this.#isWoken && this.#isAlive()) setImmediate(() => this.#wake());
  }

  async #turnWhileWoken(): Promise<void> {
    while (this.#isWoken && !this.#isStopped && this.#isAlive()) {
      this.#isWoken = false;
      if (this.#mayClaim) {
        this.#mayClaim = false;
        await Promise.all([noticeChanges(this.#ctx.db, this.#worker, this.#lanes), this.#claim()]);
      }
      await fillLanes(this.#ctx, this.#worker, this.#lanes);
      for (const lane of this.#lanes.all()) this.#pump(lane);
      if (await releaseIdle(this.#ctx, this.#worker, this.#lanes)) this.#look();
    }
  }

  async #claim(): Promise<void> {
    const room = Math.min(CLAIM, this.#lanes.room);
    if (room === 0) return;
    const now = this.#ctx.clock.now();
    const full = this.#lanes.fullTenants();
    const queues = await claimQueues(this.#ctx.db, this.#worker, new Date(now), room, full);
    for (const queue of queues) this.#lanes.add(new Lane(queue, now));
    if (queues.length === room) this.#look();
  }

  /** Starts what may leave at the moment. */
  #pump(lane: Lane): void {
    while (this.#isAlive() && !this.#isStopped && this.#lanes.maySend(lane)) {
      const delivery = lane.next();
      if (!delivery || !this.#mayLeave(lane)) return;
      lane.begin(delivery);
      this.#lanes.began(lane);
      void this.#send(lane, delivery);
    }
  }

  /** Keeps to the endpoint's rate. */
  #mayLeave(lane: Lane): boolean {
    const rate = lane.destination?.rateLimit ?? null;
    if (rate === null) return true;
    const now = this.#ctx.clock.now();
    if (lane.bucket.take(rate, now)) return true;
    lane.timer ??= setTimeout(
      () => {
        lane.timer = undefined;
        this.#pump(lane);
      },
      Math.max(1, lane.bucket.waitMs(rate, now)),
    );
    return false;
  }

  async #send(lane: Lane, delivery: ReadyDelivery): Promise<void> {
    const startedAt = this.#ctx.clock.now();
    const result = await this.#attempt(lane, delivery, startedAt);
    // Whoever goes on sends it again.
    if (this.#isStopped && this.#agent.destroyed) return;
    const outcome = outcomeOf(delivery, result, {
      startedAt,
      now: this.#ctx.clock.now(),
      failingSince: lane.failingSince,
      canBeDisabled: lane.destination?.isBasic === false,
      random: Math.random(),
    });
    this.#count(outcome, result);
    lane.end(delivery, outcome.status === 'delivered');
    const { tenantId, endpointId, failingSince } = outcome;
    const isChange = (lane.failingSince === null) !== (failingSince === null);
    lane.failingSince = failingSince;
    if (outcome.disable) lane.dropWaiting();
    this.#recorder.add(outcome, isChange ? { tenantId, endpointId, failingSince } : undefined);
    const wasFull = this.#lanes.ended(lane);
    if (lane.appetite > 0 && !lane.isExhausted) this.#wake();
    for (const other of wasFull ? this.#lanes.all() : [lane]) this.#pump(other);
    if (this.#lanes.inFlight === 0) this.#onIdle?.();
  }

  #attempt(lane: Lane, delivery: ReadyDelivery, now: number): Promise<PostResult> | PostResult {
    const { destination } = lane;
    const { body, eventId } = delivery;
    if (body === null || !destination) return notSent('The event is no longer kept.');
    const { origin, path } = destination;
    const headers = destination.headers(eventId, now, body);
    return post(this.#agent, { origin, path, headers, body });
  }

  #count(outcome: Outcome, { latencyMs }: PostResult): void {
    const result = outcome.status === 'pending' ? 'retried' : outcome.status;
    this.#ctx.metrics.webhookDeliveries.inc({ outcome: result });
    this.#ctx.metrics.webhookSeconds.observe(latencyMs / 1000);
  }

  #recorded(outcomes: Outcome[]): void {
    for (const outcome of outcomes) this.#lanes.get(outcome)?.recorded(outcome.sequence);
    this.#wake();
  }

  #keepLease(): void {
    this.#renewing ??= this.#guarded(() => this.#renew()).then(() => {
      this.#renewing = undefined;
    });
  }

  async #renew(): Promise<void> {
    const { db } = this.#ctx;
    const startedAt = performance.now();
    const isFirst = this.#renewedAt === Number.NEGATIVE_INFINITY;
    const wasThere = await renewLease(db, this.#worker);
    if (!wasThere && !isFirst) this.#lanes.clear();
    this.#renewedAt = startedAt;
    await freeQueuesOfTheDead(db);
    if (isFirst) this.#look();
  }

  /** Whether the worker can be sure that what it owns is its own. */
  #isAlive = (): boolean => performance.now() - this.#renewedAt < LEASE_DOUBT_MS;

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#ctx.log.warn({ err: error }, 'Deliveries wait until the database is back.');
    }
  }

  async #untilIdle(): Promise<void> {
    if (this.#lanes.inFlight === 0) return;
    await new Promise<void>((resolve) => {
      const deadline = setTimeout(resolve, STOP_MS);
      this.#onIdle = () => {
        clearTimeout(deadline);
        resolve();
      };
    });
  }
}

const notSent = (error: string): PostResult => ({
  statusCode: null,
  retryAfter: undefined,
  excerpt: null,
  error,
  latencyMs: 0,
});
