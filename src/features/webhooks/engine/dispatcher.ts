import type { Agent } from 'undici';
import type { Services } from '../../../api/context.ts';
import { BackgroundLoop } from '../../../platform/loops/background-loop.ts';
import { createOutboundAgent } from '../../../platform/outbound/agent.ts';
import { traceHeaders } from '../../../platform/tracing/tracing.ts';
import type { RunningWorker, Worker } from '../../../platform/worker.ts';
import { EndpointQueue, type ReadyDelivery } from './endpoint-queue.ts';
import { EndpointQueues, type QueueLimits } from './endpoint-queues.ts';
import { Lease } from './lease.ts';
import { type AttemptOutcome, outcomeOf } from './outcome.ts';
import { notSent, type PostResult, post, TIMEOUT_MS } from './post.ts';
import { prefetchDeliveries } from './prefetch-deliveries.ts';
import { claimQueues, nextQueueDue, releaseQueues } from './queue-store.ts';
import { Recorder } from './recorder.ts';

/**
 * How often a worker that owns queues claims changed ones, of which notifications were lost, and
 * releases those without deliveries, so that steady traffic claims a queue once.
 */
const POLL_MS = 500;
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
  #unwatchDueWork: (() => void) | undefined;
  #mayClaim = false;
  #polledAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  #onIdle: (() => void) | undefined;

  constructor(ctx: Services, limits?: QueueLimits) {
    this.#ctx = ctx;
    this.#queues = new EndpointQueues(limits);
    const timeouts = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
    this.#agent = createOutboundAgent(ctx.config.outboundAllowedNetworks, timeouts);
    this.#recorder = new Recorder(ctx);
    this.#dispatching = new BackgroundLoop(ctx, {
      name: 'webhooks',
      run: () => this.#dispatch(),
      failure: 'Deliveries wait until the database is back.',
    });
    this.#lease = new Lease(ctx, (wasKept) => this.#leaseRenewed(wasKept));
  }

  start(): void {
    const { wakeUps, dueWork } = this.#ctx;
    this.#dispatching.start();
    this.#lease.start();
    wakeUps.on('deliveries', this.#claimSoon);
    this.#unwatchDueWork = dueWork.watch(nextQueueDue, this.#claimSoon);
    this.#claimSoon();
  }

  /** Waits a moment for requests under way, then releases the queues. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#ctx.wakeUps.off('deliveries', this.#claimSoon);
    this.#unwatchDueWork?.();
    for (const queue of this.#queues.all()) clearTimeout(queue.timer);
    await Promise.all([this.#dispatching.stop(), this.#lease.stop()]);
    await this.#untilIdle();
    await this.#recorder.stop();
    await this.#agent.destroy();
    if (this.#lease.wasTaken) await this.#endLease().catch(() => undefined);
  }

  async #endLease(): Promise<void> {
    await this.#release(this.#queues.all());
    await this.#lease.end();
  }

  /** Starts to dispatch: deliveries may be due in queues that are not loaded. */
  #claimSoon = (): void => {
    this.#mayClaim = true;
    this.#dispatching.wake();
  };

  async #dispatch(): Promise<void> {
    // Renewing the lease wakes this loop again. A worker without queues needs no lease.
    if (!this.#lease.isValid) return this.#lease.renewNow();
    const isPoll = performance.now() - this.#polledAt >= POLL_MS;
    if (this.#mayClaim || isPoll) await this.#claim();
    if (isPoll) this.#polledAt = performance.now();
    await prefetchDeliveries(this.#ctx, this.#lease.workerId, this.#queues);
    for (const queue of this.#queues.all()) this.#sendReady(queue);
    await this.#releaseIdle(isPoll);
    if (!this.#queues.isEmpty) this.#dispatching.wake(POLL_MS);
  }

  async #claim(): Promise<void> {
    const { db, clock } = this.#ctx;
    const room = Math.min(CLAIM, this.#queues.room);
    const now = clock.now();
    const full = this.#queues.fullTenants();
    // Before the claim, so that a wake-up during the claim asks for another one.
    this.#mayClaim = false;
    const claimed = await claimQueues(db, this.#lease.workerId, new Date(now), room, full).catch(
      (error: unknown) => {
        this.#mayClaim = true;
        throw error;
      },
    );
    let added = 0;
    for (const row of claimed) {
      const owned = this.#queues.get(row);
      if (owned) owned.reclaim(row);
      else {
        this.#queues.add(new EndpointQueue(row, now));
        added += 1;
      }
    }
    if (added > 0) this.#lease.renewInTime();
    if (added > 0 && added === room) this.#claimSoon();
  }

  /** Releases queues without deliveries, soon or at once, and those that must yield. */
  async #releaseIdle(isPoll: boolean): Promise<void> {
    const isDone = (queue: EndpointQueue) =>
      queue.isExhausted && (isPoll || this.#queues.isFull(queue));
    const idle = this.#queues
      .all()
      .filter((queue) => queue.isIdle && (isDone(queue) || this.#queues.mustYield(queue)));
    if (idle.length === 0) return;
    const isAnyDue = await this.#release(idle);
    for (const queue of idle) this.#queues.delete(queue);
    if (isAnyDue) this.#claimSoon();
  }

  /** Stores what is left of each endpoint's rate limit, too. */
  #release(queues: EndpointQueue[]): Promise<boolean> {
    const { db, clock } = this.#ctx;
    const states = queues.map((queue) => queue.stored());
    return releaseQueues(db, this.#lease.workerId, states, new Date(clock.now()));
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
    queue.failingSince = outcome.failingSince;
    if (outcome.disable) queue.dropWaiting();
    this.#recorder.add(outcome, () => {
      queue.recorded();
      this.#dispatching.wake();
    });
    const wasFull = this.#queues.ended(queue);
    if (queue.isLow) this.#dispatching.wake();
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

  #leaseRenewed(wasKept: boolean): void {
    if (!wasKept) this.#queues.clear();
    if (!this.#queues.isEmpty) this.#lease.renewInTime();
    this.#dispatching.wake();
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
