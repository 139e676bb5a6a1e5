import type { Agent } from 'undici';
import type { Services } from '../../../api/context.ts';
import { BackgroundLoop } from '../../../platform/loops/background-loop.ts';
import { createOutboundAgent } from '../../../platform/outbound/agent.ts';
import { traceHeaders } from '../../../platform/tracing/tracing.ts';
import { waitFor } from '../../../platform/wait-for.ts';
import type { RunningWorker, Worker } from '../../../platform/worker.ts';
import { EndpointQueue, type ReadyDelivery } from './endpoint-queue.ts';
import { EndpointQueues, type QueueLimits } from './endpoint-queues.ts';
import { loadDeliveries } from './load-deliveries.ts';
import { outcomeOf } from './outcome.ts';
import { notSent, type PostResult, post, TIMEOUT_MS } from './post.ts';
import { claimQueues, nextQueueDue, releaseQueues, renewLease } from './queue-store.ts';
import { Recorder } from './record.ts';

/**
 * How often a worker that owns queues claims changed queues, since notifications may get lost, and
 * releases empty ones. Releasing them at once would make steady traffic claim them again and again.
 */
const POLL_MS = 500;
/** The most queues that one statement claims. */
const MAX_CLAIM = 100;
/** The most queues whose deliveries one statement loads, to limit the memory for their bodies. */
const QUEUES_PER_LOAD = 100;
const RENEW_LEASE_MS = 1_000;
/** A worker that cannot renew its lease stops sending before others may claim its queues. */
const SAFE_LEASE_MS = 4_000;
/** How long a stop waits for requests in flight. Another worker repeats those that are cut off. */
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
  readonly #workerId: string;
  readonly #agent: Agent;
  readonly #recorder: Recorder;
  readonly #queues: EndpointQueues;
  readonly #dispatching: BackgroundLoop;
  readonly #requests = new Set<Promise<void>>();
  #unwatchDueWork: (() => void) | undefined;
  /** When the lease was last renewed, by `performance.now()`. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #polledAt = Number.NEGATIVE_INFINITY;
  #isClaimDue = false;
  #isStopped = false;

  constructor(ctx: Services, limits?: QueueLimits) {
    this.#ctx = ctx;
    this.#workerId = ctx.db.id;
    this.#queues = new EndpointQueues(limits);
    const timeouts = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
    this.#agent = createOutboundAgent(ctx.config.outboundAllowedNetworks, timeouts);
    this.#recorder = new Recorder(ctx);
    this.#dispatching = new BackgroundLoop(ctx, {
      name: 'webhooks',
      run: () => this.#dispatch(),
      failure: 'Deliveries wait until the database is back.',
    });
  }

  start(): void {
    const { wakeUps, dueWork } = this.#ctx;
    this.#dispatching.start();
    wakeUps.on('deliveries', this.#claimSoon);
    this.#unwatchDueWork = dueWork.watch(nextQueueDue, this.#claimSoon);
    this.#claimSoon();
  }

  /**
   * Waits briefly for requests in flight, then releases the queues, so that other workers can claim
   * them.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#ctx.wakeUps.off('deliveries', this.#claimSoon);
    this.#unwatchDueWork?.();
    await this.#dispatching.stop();
    await waitFor(Promise.allSettled(this.#requests), STOP_MS);
    await this.#recorder.stop();
    await this.#agent.destroy();
    if (!this.#queues.isEmpty) await this.#release(this.#queues.all()).catch(() => undefined);
  }

  /** Claims and dispatches, because deliveries may be due in queues without an owner. */
  #claimSoon = (): void => {
    this.#isClaimDue = true;
    this.#dispatching.wake();
  };

  async #dispatch(): Promise<void> {
    await this.#renewLease();
    const isPoll = performance.now() - this.#polledAt >= POLL_MS;
    if (this.#isClaimDue || isPoll) await this.#claim();
    if (isPoll) this.#polledAt = performance.now();
    await this.#load();
    for (const queue of this.#queues.all()) this.#sendReady(queue);
    await this.#releaseIdle(isPoll);
    // A worker without queues needs no lease.
    if (!this.#queues.isEmpty) this.#dispatching.wake(POLL_MS);
  }

  /** Renews the lease once a second. A worker whose lease had expired has lost its queues too. */
  async #renewLease(): Promise<void> {
    const startedAt = performance.now();
    if (startedAt - this.#renewedAt < RENEW_LEASE_MS) return;
    if (!(await renewLease(this.#ctx.db, this.#workerId))) this.#queues.clear();
    this.#renewedAt = startedAt;
  }

  async #claim(): Promise<void> {
    const { db, clock } = this.#ctx;
    const room = Math.min(MAX_CLAIM, this.#queues.room);
    const now = clock.now();
    const fullTenants = this.#queues.fullTenants();
    // The flag is reset before the claim, so that a wake-up during the claim leads to another one.
    this.#isClaimDue = false;
    let added = 0;
    const queues = await claimQueues(db, this.#workerId, new Date(now), room, fullTenants);
    for (const claimed of queues) {
      const owned = this.#queues.get(claimed);
      if (owned) owned.reclaim(claimed);
      else {
        this.#queues.add(new EndpointQueue(claimed, now));
        added += 1;
      }
    }
    if (added > 0 && added === room) this.#claimSoon();
  }

  /** Loads deliveries for all queues that run low. */
  async #load(): Promise<void> {
    const low = this.#queues.all().filter((queue) => {
      if (!this.#queues.mustYield(queue)) return queue.isLow;
      // Its next owner loads these deliveries again, with the settings of the endpoint.
      if (queue.isOutdated) queue.dropWaiting();
      return false;
    });
    for (let from = 0; from < low.length; from += QUEUES_PER_LOAD) {
      const queues = low.slice(from, from + QUEUES_PER_LOAD);
      const lost = await loadDeliveries(this.#ctx, this.#workerId, queues);
      for (const queue of lost) this.#queues.delete(queue);
      await this.#renewLease();
    }
  }

  /** Releases queues that must yield, and those without deliveries, at a poll or to make room. */
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

  #release(queues: EndpointQueue[]): Promise<boolean> {
    const { db, clock } = this.#ctx;
    return releaseQueues(db, this.#workerId, queues, new Date(clock.now()));
  }

  /** Sends the deliveries that the limits of the worker and the endpoint allow at the moment. */
  #sendReady(queue: EndpointQueue): void {
    while (this.#maySend(queue)) {
      const delivery = queue.next();
      if (!delivery || !this.#takeToken(queue)) return;
      queue.begin(delivery);
      this.#queues.began(queue);
      const request = this.#send(queue, delivery).finally(() => this.#requests.delete(request));
      this.#requests.add(request);
    }
  }

  #maySend(queue: EndpointQueue): boolean {
    const isLeased = performance.now() - this.#renewedAt < SAFE_LEASE_MS;
    return isLeased && !this.#isStopped && this.#queues.maySend(queue);
  }

  /** Takes a token of the endpoint's rate limit. If there is none, it dispatches again later. */
  #takeToken({ destination, bucket }: EndpointQueue): boolean {
    const rate = destination?.rateLimit ?? null;
    if (rate === null) return true;
    const now = this.#ctx.clock.now();
    bucket.rate = { perSecond: rate, burst: rate };
    const waitMs = bucket.waitMs(1, now);
    if (waitMs === 0) return bucket.spend(1, now);
    this.#dispatching.wake(waitMs);
    return false;
  }

  async #send(queue: EndpointQueue, delivery: ReadyDelivery): Promise<void> {
    const { clock, metrics } = this.#ctx;
    const startedAt = clock.now();
    const result = await this.#attempt(queue, delivery, startedAt);
    // The stop cut this request off, so the delivery stays due and another worker sends it.
    if (this.#isStopped && this.#agent.destroyed) return;
    const outcome = outcomeOf(delivery, result, {
      startedAt,
      now: clock.now(),
      failingSince: queue.failingSince,
      canBeDisabled: queue.destination?.isBasic === false,
      random: Math.random(),
    });
    const { status, failingSince, disableReason } = outcome;
    metrics.webhookDeliveries.inc({ outcome: status === 'pending' ? 'retried' : status });
    metrics.webhookSeconds.observe(result.latencyMs / 1000);
    queue.end(delivery, status === 'delivered');
    queue.failingSince = failingSince;
    if (disableReason) queue.dropWaiting();
    this.#recorder.add(outcome, () => {
      queue.recorded();
      this.#dispatching.wake();
    });
    const wasFull = this.#queues.ended(queue);
    if (wasFull || queue.isLow) this.#dispatching.wake();
    // Otherwise, the queues that have waited longest send next.
    if (!wasFull) this.#sendReady(queue);
  }

  #attempt(
    { destination }: EndpointQueue,
    { body, eventId }: ReadyDelivery,
    now: number,
  ): Promise<PostResult> | PostResult {
    if (body === null || !destination) return notSent('The event is no longer kept.');
    const { origin, path } = destination;
    const headers = destination.headers(eventId, now, body);
    const attributes = { 'event.id': eventId, 'server.address': origin };
    return this.#ctx.tracing.trace({ name: 'webhook delivery', kind: 'client', attributes }, () =>
      post(this.#agent, { origin, path, headers: { ...headers, ...traceHeaders() }, body }),
    );
  }
}
