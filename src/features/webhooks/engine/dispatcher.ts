import type { Agent } from 'undici';
import type { Services } from '../../../api/context.ts';
import { BackgroundLoop } from '../../../platform/loops/background-loop.ts';
import { createOutboundAgent } from '../../../platform/outbound/agent.ts';
import { traceHeaders } from '../../../platform/tracing/tracing.ts';
import type { RunningWorker, Worker } from '../../../platform/worker.ts';
import type { ChangedQueue } from '../queues.ts';
import { EndpointQueue, type ReadyDelivery } from './endpoint-queue.ts';
import { EndpointQueues, type QueueLimits } from './endpoint-queues.ts';
import { Lease } from './lease.ts';
import { type AttemptOutcome, outcomeOf } from './outcome.ts';
import { notSent, type PostResult, post, TIMEOUT_MS } from './post.ts';
import { noticeNewDeliveries, prefetchDeliveries } from './prefetch-deliveries.ts';
import { claimQueues, nextLeaseExpiry, nextQueueDue, releaseExpiredLeases } from './queue-store.ts';
import { Recorder } from './recorder.ts';
import { releaseAll, releaseIdle } from './release-queues.ts';

/**
 * How often a worker that owns queues claims more of them and checks its own for changes, of which
 * notifications were lost.
 */
const POLL_MS = 500;
/** The least time between two looks for leases that have expired. */
const EXPIRY_MS = 1_000;
const CLAIM = 100;
/** How long a stop waits for requests under way. Another worker repeats those that are cut off. */
const STOP_MS = 2_000;

export const webhookWorker: Worker<Services> = {
  start(services) {
    const dispatcher = new Dispatcher(services);
    dispatcher.start();
    return dispatcher;
  },
};

/** Delivers webhooks: claims the queues of endpoints and sends the deliveries that are due. */
export class Dispatcher implements RunningWorker {
  readonly #ctx: Services;
  readonly #agent: Agent;
  readonly #recorder: Recorder;
  readonly #queues: EndpointQueues;
  readonly #dispatching: BackgroundLoop;
  readonly #lease: Lease;
  readonly #leaseExpiry: BackgroundLoop;
  #unwatchDueWork: Array<() => void> = [];
  #mayClaim = false;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  #onIdle: (() => void) | undefined;

  constructor(ctx: Services, limits?: QueueLimits) {
    this.#ctx = ctx;
    this.#queues = new EndpointQueues(limits);
    const timeouts = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
    this.#agent = createOutboundAgent(ctx.config.outboundAllowedNetworks, timeouts);
    this.#recorder = new Recorder(ctx, (outcomes) => this.#recorded(outcomes));
    const failure = 'Deliveries wait until the database is back.';
    this.#dispatching = new BackgroundLoop(ctx, {
      name: 'webhooks',
      run: () => this.#dispatch(),
      failure,
    });
    this.#lease = new Lease(ctx, (wasKept) => this.#leaseRenewed(wasKept));
    this.#leaseExpiry = new BackgroundLoop(ctx, {
      name: 'webhooks: queues of dead workers',
      pauseMs: EXPIRY_MS,
      run: () => this.#releaseExpiredLeases(),
      failure,
    });
  }

  start(): void {
    const { wakeUps, dueWork } = this.#ctx;
    for (const loop of [this.#dispatching, this.#lease, this.#leaseExpiry]) loop.start();
    wakeUps.on('deliveries', this.#poll);
    this.#unwatchDueWork = [
      dueWork.watch(nextQueueDue, () => this.#poll()),
      dueWork.watch(nextLeaseExpiry, () => this.#leaseExpiry.wake()),
    ];
    this.#poll();
  }

  /** Waits a moment for requests under way, then releases the queues. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#ctx.wakeUps.off('deliveries', this.#poll);
    for (const unwatch of this.#unwatchDueWork) unwatch();
    for (const queue of this.#queues.all()) clearTimeout(queue.timer);
    await Promise.all([this.#dispatching.stop(), this.#lease.stop(), this.#leaseExpiry.stop()]);
    await this.#untilIdle();
    await this.#recorder.stop();
    await this.#agent.destroy();
    if (this.#lease.wasTaken) await this.#endLease().catch(() => undefined);
  }

  async #endLease(): Promise<void> {
    await releaseAll(this.#ctx, this.#lease.workerId, this.#queues);
    await this.#lease.end();
  }

  /** Starts to dispatch: deliveries may be due in the given queues, or, without them, in any. */
  #poll = (changed?: ChangedQueue[]): void => {
    for (const queue of changed ?? []) this.#queues.get(queue)?.markChanged();
    this.#mayClaim ||= changed?.some(({ owner }) => owner === null) ?? true;
    this.#dispatching.wake();
  };

  async #dispatch(): Promise<void> {
    // Renewing the lease wakes this loop again. A worker without queues needs no lease.
    if (!this.#lease.isValid) return this.#lease.renewNow();
    if (this.#mayClaim || performance.now() - this.#refreshedAt >= POLL_MS) await this.#refresh();
    await prefetchDeliveries(this.#ctx, this.#lease.workerId, this.#queues);
    for (const queue of this.#queues.all()) this.#sendReady(queue);
    if (await releaseIdle(this.#ctx, this.#lease.workerId, this.#queues)) this.#poll();
    if (!this.#queues.isEmpty) this.#dispatching.wake(POLL_MS);
  }

  async #refresh(): Promise<void> {
    this.#mayClaim = false;
    try {
      await Promise.all([
        noticeNewDeliveries(this.#ctx.db, this.#lease.workerId, this.#queues),
        this.#claim(),
      ]);
      this.#refreshedAt = performance.now();
    } catch (error) {
      this.#mayClaim = true;
      throw error;
    }
  }

  async #claim(): Promise<void> {
    const room = Math.min(CLAIM, this.#queues.room);
    if (room === 0) return;
    const now = this.#ctx.clock.now();
    const full = this.#queues.fullTenants();
    const claimed = await claimQueues(
      this.#ctx.db,
      this.#lease.workerId,
      new Date(now),
      room,
      full,
    );
    for (const row of claimed) this.#queues.add(new EndpointQueue(row, now));
    if (claimed.length > 0) this.#lease.renewInTime();
    if (claimed.length === room) this.#poll();
  }

  /** Sends the deliveries that the limits of the worker and the endpoint allow at the moment. */
  #sendReady(queue: EndpointQueue): void {
    while (this.#lease.isValid && !this.#isStopped && this.#queues.maySend(queue)) {
      const delivery = queue.next();
      if (!delivery || !this.#takeToken(queue)) return;
      queue.begin(delivery);
      this.#queues.began(queue);
      void this.#send(queue, delivery);
    }
  }

  /** Takes a token of the endpoint's rate limit; without one, sending goes on when there is one. */
  #takeToken(queue: EndpointQueue): boolean {
    const rate = queue.destination?.rateLimit ?? null;
    if (rate === null) return true;
    const now = this.#ctx.clock.now();
    queue.bucket.rate = { perSecond: rate, burst: rate };
    const waitMs = queue.bucket.waitMs(1, now);
    if (waitMs === 0) return queue.bucket.spend(1, now);
    queue.timer ??= setTimeout(() => {
      queue.timer = undefined;
      this.#sendReady(queue);
    }, waitMs);
    return false;
  }

  async #send(queue: EndpointQueue, delivery: ReadyDelivery): Promise<void> {
    const startedAt = this.#ctx.clock.now();
    const result = await this.#attempt(queue, delivery, startedAt);
    // The stop cut this request off, so the delivery stays due and another worker sends it.
    if (this.#isStopped && this.#agent.destroyed) return;
    const outcome = outcomeOf(delivery, result, {
      startedAt,
      now: this.#ctx.clock.now(),
      failingSince: queue.failingSince,
      canBeDisabled: queue.destination?.isBasic === false,
      random: Math.random(),
    });
    this.#count(outcome, result);
    queue.end(delivery, outcome.status === 'delivered');
    const { tenantId, endpointId, failingSince } = outcome;
    const isChange = (queue.failingSince === null) !== (failingSince === null);
    queue.failingSince = failingSince;
    if (outcome.disable) queue.dropWaiting();
    this.#recorder.add(outcome, isChange ? { tenantId, endpointId, failingSince } : undefined);
    const wasFull = this.#queues.ended(queue);
    if (queue.prefetchCount > 0 && !queue.isExhausted) this.#dispatching.wake();
    for (const other of wasFull ? this.#queues.all() : [queue]) this.#sendReady(other);
    if (this.#queues.inFlight === 0) this.#onIdle?.();
  }

  #attempt(
    queue: EndpointQueue,
    delivery: ReadyDelivery,
    now: number,
  ): Promise<PostResult> | PostResult {
    const { destination } = queue;
    const { body, eventId } = delivery;
    if (body === null || !destination) return notSent('The event is no longer kept.');
    const { origin, path } = destination;
    const headers = destination.headers(eventId, now, body);
    const attributes = { 'event.id': eventId, 'server.address': origin };
    return this.#ctx.tracing.trace({ name: 'webhook delivery', kind: 'client', attributes }, () =>
      post(this.#agent, { origin, path, headers: { ...headers, ...traceHeaders() }, body }),
    );
  }

  #count(outcome: AttemptOutcome, { latencyMs }: PostResult): void {
    const result = outcome.status === 'pending' ? 'retried' : outcome.status;
    this.#ctx.metrics.webhookDeliveries.inc({ outcome: result });
    this.#ctx.metrics.webhookSeconds.observe(latencyMs / 1000);
  }

  #recorded(outcomes: AttemptOutcome[]): void {
    for (const outcome of outcomes) this.#queues.get(outcome)?.recorded(outcome.sequence);
    this.#dispatching.wake();
  }

  #leaseRenewed(wasKept: boolean): void {
    if (!wasKept) this.#queues.clear();
    if (!this.#queues.isEmpty) this.#lease.renewInTime();
    this.#dispatching.wake();
  }

  async #releaseExpiredLeases(): Promise<void> {
    if (await releaseExpiredLeases(this.#ctx.db)) this.#poll();
  }

  async #untilIdle(): Promise<void> {
    if (this.#queues.inFlight === 0) return;
    await new Promise<void>((resolve) => {
      const deadline = setTimeout(resolve, STOP_MS);
      this.#onIdle = () => {
        clearTimeout(deadline);
        resolve();
      };
    });
  }
}
