import type { Agent } from 'undici';
import type { Services } from '../../../api/context.ts';
import { BackgroundLoop } from '../../../platform/loops/background-loop.ts';
import { createOutboundAgent } from '../../../platform/outbound/agent.ts';
import { traceHeaders } from '../../../platform/tracing/tracing.ts';
import { waitFor } from '../../../platform/wait-for.ts';
import type { RunningWorker, Worker } from '../../../platform/worker.ts';
import { queueKey } from '../queues.ts';
import type { Destination } from './destination.ts';
import { EndpointQueue, type ReadyDelivery } from './endpoint-queue.ts';
import { loadDeliveries } from './load-deliveries.ts';
import { outcomeOf } from './outcome.ts';
import { OutcomeStore } from './outcome-store.ts';
import { notSentResult, type PostResult, post, TIMEOUT_MS } from './post.ts';
import { claimQueues, nextQueueDue, releaseQueues, renewLease } from './queue-store.ts';
import { RequestsInFlight } from './requests-in-flight.ts';

/**
 * How often a worker that owns queues renews its lease, claims changed queues and releases empty ones. It looks
 * for changed queues because notifications may get lost. If it released empty queues immediately, steady traffic
 * would make it claim them again and again.
 */
const POLL_MS = 500;
/** The most queues that one statement claims, or loads, to limit the memory for bodies. */
const MAX_QUEUES = 100;
/** A worker that cannot renew its lease stops sending after this time, before others may claim its queues. */
const SAFE_LEASE_MS = 4_000;
/** How long stopping waits for requests in flight. Another worker repeats those that are cut off. */
const STOP_MS = 2_000;

export const webhookWorker: Worker<Services> = {
  start(services) {
    const dispatcher = new Dispatcher(services);
    dispatcher.start();
    return dispatcher;
  },
};

/** Delivers webhooks: claims the queues of endpoints, and sends the deliveries that are due. */
export class Dispatcher implements RunningWorker {
  readonly #ctx: Services;
  readonly #agent: Agent;
  readonly #dispatching: BackgroundLoop;
  readonly #outcomes: OutcomeStore;
  /** The queues that the worker owns, in the order of their last sending, the longest ago first. */
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #inFlight: RequestsInFlight;
  readonly #requests = new Set<Promise<void>>();
  /** The tenants whose events an erasure has changed since the last load began; undefined stands for all tenants. */
  readonly #tenantsToReload = new Set<string | undefined>();
  #unwatchDueWork: (() => void) | undefined;
  /** When the lease was last renewed, by `performance.now()`. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #isClaimDue = false;
  #isStopped = false;

  constructor(ctx: Services, maxInFlight?: number) {
    this.#ctx = ctx;
    this.#inFlight = new RequestsInFlight(maxInFlight);
    const timeouts = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
    this.#agent = createOutboundAgent(ctx.config.outboundAllowedNetworks, timeouts);
    this.#dispatching = new BackgroundLoop(ctx, {
      name: 'webhooks',
      run: () => this.#dispatch(),
      failure: 'Deliveries wait until the database is back.',
    });
    // Stored outcomes wake the loop: a queue may wait for them to load its first page, or to send a delivery again.
    this.#outcomes = new OutcomeStore(ctx, () => this.#dispatching.wake());
  }

  start(): void {
    const { wakeUps, dueWork } = this.#ctx;
    this.#dispatching.start();
    this.#outcomes.start();
    wakeUps.on('deliveries', this.#claimSoon);
    wakeUps.on('erased', this.#reload);
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
    this.#ctx.wakeUps.off('erased', this.#reload);
    this.#unwatchDueWork?.();
    await this.#dispatching.stop();
    await waitFor(Promise.allSettled(this.#requests), STOP_MS);
    await this.#outcomes.stop();
    await this.#agent.destroy();
    await this.#release([...this.#queues.values()]).catch(() => undefined);
  }

  /** Makes the loop claim queues, because deliveries may be due in queues without an owner. */
  #claimSoon = (): void => {
    this.#isClaimDue = true;
    this.#dispatching.wake();
  };

  /** Reloads the waiting deliveries of one tenant, or of all, because their events were changed. */
  #reload = (tenantId: string | undefined): void => {
    this.#tenantsToReload.add(tenantId);
    this.#dropOutdated();
    this.#dispatching.wake();
  };

  /** Drops the loaded deliveries of the tenants in `#tenantsToReload`. */
  #dropOutdated(): void {
    const tenants = this.#tenantsToReload;
    for (const queue of this.#queues.values()) {
      if (!tenants.has(undefined) && !tenants.has(queue.tenantId)) continue;
      queue.dropWaiting();
      queue.state = 'outdated';
    }
  }

  async #dispatch(): Promise<void> {
    const isPoll = performance.now() - this.#renewedAt >= POLL_MS;
    if (isPoll) await this.#renewLease();
    if (this.#isClaimDue || isPoll) await this.#claim();
    this.#tenantsToReload.clear();
    await this.#load();
    // Drops deliveries that were read before an erasure that came during the load.
    this.#dropOutdated();
    for (const queue of [...this.#queues.values()]) this.#sendReady(queue);
    if (isPoll) {
      const queues = [...this.#queues.values()];
      await this.#release(queues.filter((queue) => queue.state === 'exhausted' && queue.isIdle));
    }
    // A worker without queues needs no lease.
    if (this.#queues.size > 0) this.#dispatching.wake(POLL_MS);
  }

  /** Renews the lease. If it had expired, the worker has also lost its queues. */
  async #renewLease(): Promise<void> {
    const startedAt = performance.now();
    if (!(await renewLease(this.#ctx.db))) {
      for (const queue of this.#queues.values()) queue.dropWaiting();
      this.#queues.clear();
    }
    this.#renewedAt = startedAt;
  }

  /** Claims due queues. Leaves the queues of tenants that may send nothing now to other workers. */
  async #claim(): Promise<void> {
    const { db, clock } = this.#ctx;
    const now = clock.now();
    const fullTenants = this.#inFlight.fullTenants();
    const limit = this.#inFlight.isFull ? 0 : MAX_QUEUES;
    // The flag is reset before the claim, so that a wake-up during the claim leads to another one. It stays set
    // while tenants are left out: their queues are claimed as soon as one of their requests has ended.
    this.#isClaimDue = fullTenants.length > 0;
    const claims = await claimQueues(db, new Date(now), limit, fullTenants);
    for (const claimed of claims) {
      const owned = this.#queues.get(queueKey(claimed));
      if (owned) owned.reclaim(claimed);
      else this.#queues.set(queueKey(claimed), new EndpointQueue(claimed, now));
    }
    if (claims.length >= MAX_QUEUES) this.#claimSoon();
  }

  /**
   * Loads deliveries for queues that need them, unless their tenant may send nothing at the moment. The
   * settings of a changed endpoint are always loaded.
   */
  async #load(): Promise<void> {
    const mayLoad = ({ state, tenantId }: EndpointQueue) =>
      state === 'outdated' || this.#inFlight.maySend(tenantId);
    const loading = [...this.#queues.values()]
      .filter((queue) => queue.needsLoad && mayLoad(queue))
      .slice(0, MAX_QUEUES);
    if (loading.length === 0) return;
    await loadDeliveries(this.#ctx, loading);
    if (loading.length === MAX_QUEUES) this.#dispatching.wake();
  }

  async #release(queues: EndpointQueue[]): Promise<void> {
    if (queues.length === 0) return;
    const { db, clock } = this.#ctx;
    await releaseQueues(db, queues, new Date(clock.now()));
    for (const queue of queues) this.#queues.delete(queueKey(queue));
  }

  /** Sends the deliveries that the limits of the worker and the endpoint allow at the moment. */
  #sendReady(queue: EndpointQueue): void {
    const { tenantId } = queue;
    while (this.#maySend(tenantId)) {
      const delivery = queue.nextReady();
      if (!delivery || !this.#takeToken(queue)) return;
      queue.markInFlight(delivery);
      this.#inFlight.requestStarted(tenantId);
      // The queue is now the last in the order of the map.
      if (this.#queues.delete(queueKey(queue))) this.#queues.set(queueKey(queue), queue);
      const request = this.#send(queue, delivery).finally(() => this.#requests.delete(request));
      this.#requests.add(request);
    }
  }

  #maySend(tenantId: string): boolean {
    const isLeased = performance.now() - this.#renewedAt < SAFE_LEASE_MS;
    return isLeased && !this.#isStopped && this.#inFlight.maySend(tenantId);
  }

  /** Takes a token of the endpoint's rate limit. If there is none, the loop wakes when there is one. */
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
    const { destination } = queue;
    const result = await this.#attempt(destination, delivery, startedAt);
    // Stopping has cut this request off, so the delivery stays due and another worker sends it.
    if (this.#isStopped && this.#agent.destroyed) return;
    const outcome = outcomeOf(delivery, result, {
      startedAt,
      now: clock.now(),
      failingSince: queue.failingSince,
      // A response from an earlier URL does not count against the current one.
      canBeDisabled:
        destination?.canBeDisabled === true && isSameUrl(destination, queue.destination),
      random: Math.random(),
    });
    const { status, failingSince, disableReason } = outcome;
    metrics.webhookDeliveries.inc({ outcome: status === 'pending' ? 'retried' : status });
    metrics.webhookSeconds.observe(result.latencyMs / 1000);
    queue.markEnded(delivery, status === 'delivered');
    queue.failingSince = failingSince;
    if (disableReason) queue.dropWaiting();
    this.#outcomes.add(queue, outcome);
    const wasFull = this.#inFlight.requestEnded(queue.tenantId);
    if (wasFull || queue.needsLoad) this.#dispatching.wake();
    // If a limit was reached, the loop sends instead, and begins with the queue that has waited longest.
    if (!wasFull) this.#sendReady(queue);
  }

  #attempt(
    destination: Destination | undefined,
    { body, eventId }: ReadyDelivery,
    now: number,
  ): Promise<PostResult> | PostResult {
    if (body === null) return notSentResult('The event is no longer stored.');
    if (!destination) return notSentResult('The endpoint is disabled, or was deleted.');
    const { origin, path } = destination;
    const headers = destination.headers(eventId, now, body);
    const attributes = { 'event.id': eventId, 'server.address': origin };
    return this.#ctx.tracing.trace({ name: 'webhook delivery', kind: 'client', attributes }, () =>
      post(this.#agent, { origin, path, headers: { ...headers, ...traceHeaders() }, body }),
    );
  }
}

const isSameUrl = (one: Destination, other: Destination | undefined): boolean =>
  one.origin === other?.origin && one.path === other.path;
