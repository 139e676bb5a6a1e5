import type { Agent } from 'undici';
import type { Services } from '../../../api/context.ts';
import { newId } from '../../../platform/ids.ts';
import { BackgroundLoop } from '../../../platform/loops/background-loop.ts';
import { createOutboundAgent } from '../../../platform/outbound/agent.ts';
import type { RunningWorker, Worker } from '../../../platform/worker.ts';
import type { QueueKey } from '../queues.ts';
import { fillLanes, noticeChanges } from './fill-lanes.ts';
import { Lane, type ReadyDelivery } from './lane.ts';
import { type LaneLimits, Lanes } from './lanes.ts';
import { type AttemptOutcome, outcomeOf } from './outcome.ts';
import { type PostResult, post, TIMEOUT_MS } from './post.ts';
import {
  claimQueues,
  endLease,
  freeQueuesOfTheDead,
  nextDeath,
  nextQueueDue,
  renewLease,
} from './queue-store.ts';
import { Recorder } from './recorder.ts';
import { releaseAll, releaseIdle } from './release-lanes.ts';

/** How often a worker that holds queues looks for more, and for what has changed in them. */
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
  readonly #turns: BackgroundLoop;
  readonly #lease: BackgroundLoop;
  readonly #takeOver: BackgroundLoop;
  #leaveDueWork: Array<() => void> = [];
  #mayClaim = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  #onIdle: (() => void) | undefined;

  constructor(ctx: Services, limits?: LaneLimits) {
    this.#ctx = ctx;
    this.#lanes = new Lanes(limits);
    const timeouts = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
    this.#agent = createOutboundAgent(ctx.config.outboundAllowedNetworks, timeouts);
    this.#recorder = new Recorder(ctx, (outcomes) => this.#recorded(outcomes));
    const failure = 'Deliveries wait until the database is back.';
    this.#turns = new BackgroundLoop(ctx, {
      name: 'webhooks',
      run: () => this.#turn(),
      failure,
    });
    this.#lease = new BackgroundLoop(ctx, {
      name: 'webhooks: lease',
      run: () => this.#renew(),
      failure,
    });
    this.#takeOver = new BackgroundLoop(ctx, {
      name: 'webhooks: queues of dead workers',
      pauseMs: RENEW_MS,
      run: () => this.#freeQueuesOfTheDead(),
      failure,
    });
  }

  start(): void {
    const { wakeUps, dueWork, clock } = this.#ctx;
    for (const loop of [this.#turns, this.#lease, this.#takeOver]) loop.start();
    wakeUps.on('deliveries', this.#look);
    this.#leaveDueWork = [
      dueWork.watch(nextQueueDue, () => this.#look()),
      dueWork.watch(
        () => nextDeath(clock.now()),
        () => this.#takeOver.wake(),
      ),
    ];
    this.#look();
  }

  /** Lets what is under way end, within limits, and lets go of the queues. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#ctx.wakeUps.off('deliveries', this.#look);
    for (const leave of this.#leaveDueWork) leave();
    for (const lane of this.#lanes.all()) clearTimeout(lane.timer);
    await Promise.all([this.#turns.stop(), this.#lease.stop(), this.#takeOver.stop()]);
    await this.#untilIdle();
    await this.#recorder.stop();
    await this.#agent.destroy();
    if (this.#renewedAt > Number.NEGATIVE_INFINITY) await this.#endLease().catch(() => undefined);
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
    this.#turns.wake();
  };

  async #turn(): Promise<void> {
    // The renewal wakes this loop again. A worker that holds nothing needs no lease.
    if (!this.#isAlive()) return this.#lease.wake();
    if (this.#mayClaim || performance.now() - this.#lookedAt >= POLL_MS) await this.#lookAround();
    await fillLanes(this.#ctx, this.#worker, this.#lanes);
    for (const lane of this.#lanes.all()) this.#pump(lane);
    if (await releaseIdle(this.#ctx, this.#worker, this.#lanes)) this.#look();
    if (!this.#lanes.isEmpty) this.#turns.wake(POLL_MS);
  }

  async #lookAround(): Promise<void> {
    this.#mayClaim = false;
    try {
      await Promise.all([noticeChanges(this.#ctx.db, this.#worker, this.#lanes), this.#claim()]);
      this.#lookedAt = performance.now();
    } catch (error) {
      this.#mayClaim = true;
      throw error;
    }
  }

  async #claim(): Promise<void> {
    const room = Math.min(CLAIM, this.#lanes.room);
    if (room === 0) return;
    const now = this.#ctx.clock.now();
    const full = this.#lanes.fullTenants();
    const queues = await claimQueues(this.#ctx.db, this.#worker, new Date(now), room, full);
    for (const queue of queues) this.#lanes.add(new Lane(queue, now));
    if (queues.length > 0) this.#renewInTime();
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
    if (lane.appetite > 0 && !lane.isExhausted) this.#turns.wake();
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

  #count(outcome: AttemptOutcome, { latencyMs }: PostResult): void {
    const result = outcome.status === 'pending' ? 'retried' : outcome.status;
    this.#ctx.metrics.webhookDeliveries.inc({ outcome: result });
    this.#ctx.metrics.webhookSeconds.observe(latencyMs / 1000);
  }

  #recorded(outcomes: AttemptOutcome[]): void {
    for (const outcome of outcomes) this.#lanes.get(outcome)?.recorded(outcome.sequence);
    this.#turns.wake();
  }

  async #renew(): Promise<void> {
    const startedAt = performance.now();
    const wasThere = await renewLease(this.#ctx.db, this.#worker);
    if (!wasThere) this.#lanes.clear();
    this.#renewedAt = startedAt;
    if (!this.#lanes.isEmpty) this.#renewInTime();
    this.#turns.wake();
  }

  #renewInTime(): void {
    this.#lease.wake(Math.max(0, this.#renewedAt + RENEW_MS - performance.now()));
  }

  async #freeQueuesOfTheDead(): Promise<void> {
    if (await freeQueuesOfTheDead(this.#ctx.db)) this.#look();
  }

  /** Whether the worker can be sure that what it owns is its own. */
  #isAlive = (): boolean => performance.now() - this.#renewedAt < LEASE_DOUBT_MS;

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
