import type { Server } from 'node:http';
import type { AnyRouter } from '@trpc/server';
import type { Services } from '../api/context.ts';
import { type AddressOf, addressReader } from '../api/credentials/client-address.ts';
import type { Config } from '../config.ts';
import { DeferredEventPublisher } from '../features/crdt/deferred-events.ts';
import type { EventFeed } from '../platform/events/event-feed.ts';
import type { LiveDocuments } from '../platform/live-documents.ts';
import { AccessWatch } from './access/access-watch.ts';
import type { AuthenticationDependencies } from './access/authenticate-connection.ts';
import { ConnectionLimits } from './access/connection-limits.ts';
import { connectSocket } from './connect-socket.ts';
import { Connections } from './connections.ts';
import { DocumentStore } from './documents/document-store.ts';
import { KeptDocuments } from './documents/kept-documents.ts';
import { LogFollower } from './documents/log-follower.ts';
import type { OpenDocument } from './documents/open-document.ts';
import { OpenedLiveDocuments } from './documents/opened-live-documents.ts';
import { UpdateQueue } from './documents/update-queue.ts';
import { LiveHocuspocus } from './hocuspocus-internals.ts';
import type { RedisPeers } from './peers/redis-peers.ts';
import { ConnectedUsers } from './presence/connected-users.ts';
import { ManualPresencePublisher } from './presence/manual-presence-publisher.ts';
import { reloadChangedPeople } from './presence/reload-people.ts';
import { Admissions } from './sockets/admissions.ts';
import { BroadcastFrames } from './sockets/binary-frame.ts';
import { MAX_UNADMITTED_PAYLOAD } from './sockets/message-limit.ts';
import { SendBudget } from './sockets/send-budget.ts';
import { type SocketPath, Sockets } from './sockets/sockets.ts';
import { streamSockets } from './streams/stream-socket.ts';

/** How long stopping waits for the database to take the last edits. */
const DRAIN_MS = 7_000;

interface Dependencies
  extends AuthenticationDependencies,
    Pick<Services, 'metrics' | 'tracing' | 'workerPool' | 'dueWork'> {
  config: Config;
  feed: EventFeed;
}

export const createRealtime = async (deps: Dependencies) =>
  new Realtime(deps, await buildParts(deps));

/** Builds and connects the parts that serve live documents. */
async function buildParts(deps: Dependencies) {
  const { config, log, metrics } = deps;
  const hocuspocus = new LiveHocuspocus();
  const onSaved = ({ document }: OpenDocument) => hocuspocus.unloadIfUnused(document);
  const queue: UpdateQueue = new UpdateQueue({
    ...deps,
    onSaved,
    catchUp: (documents, db) => store.catchUp(documents, db),
    onAbandoned: ({ document }, failure, forgers) =>
      void hocuspocus.evict(document, ({ session }) =>
        forgers.includes(session.userId) ? 'PERMISSION_DENIED' : failure.status,
      ),
  });
  const store: DocumentStore = new DocumentStore({ ...deps, queue, onSaved });
  const watch = new AccessWatch({ ...deps, store, hocuspocus });
  const connectedUsers = new ConnectedUsers(deps);
  const manualPresence = new ManualPresencePublisher({ ...deps, store });
  const limits = new ConnectionLimits(config.maxLiveConnections);
  const onPeerGone = () => void store.reconcileAll();
  const hasRedis = config.redisUrl !== undefined;
  const follower = new LogFollower({ ...deps, store, hasRedis });
  const onSubscribed = (documents: readonly OpenDocument[]) => follower.readSoon(documents);
  const peers = config.redisUrl
    ? await connectPeers(config.redisUrl, { ...deps, store, onPeerGone, onSubscribed })
    : undefined;
  const keptDocuments = new KeptDocuments(onSaved);
  hocuspocus.mustStayLoaded = (document) => {
    const openDoc = store.find(document);
    return openDoc !== undefined && (!openDoc.isStored || keptDocuments.has(openDoc));
  };
  hocuspocus.onHookFailed = (hook, error) =>
    log.warn({ err: error, hook }, 'A hook of a live document failed.');
  hocuspocus.onLoadFailed = (key) => store.discard(key);
  const countDocuments = async () => metrics.liveDocuments.set(store.size);
  hocuspocus.configure({
    quiet: true,
    afterLoadDocument: async ({ document }) => {
      peers?.join(document);
      manualPresence.showIn(document);
      await countDocuments();
    },
    afterUnloadDocument: countDocuments,
    extensions: [store],
  });
  const connections = new Connections({
    ...deps,
    hocuspocus,
    store,
    watch,
    connectedUsers,
    limits,
  });
  const liveDocuments = new OpenedLiveDocuments({
    ...deps,
    hocuspocus,
    store,
    queue,
    keptDocuments,
    publishUpdate: (key, update) => peers?.publishUpdate(key, update),
  });
  return {
    connections,
    hocuspocus,
    queue,
    store,
    keptDocuments,
    liveDocuments,
    watch,
    connectedUsers,
    manualPresence,
    follower,
    peers,
  };
}

/** Connects to Redis. Processes without Redis do not load its library. */
async function connectPeers(...options: ConstructorParameters<typeof RedisPeers>) {
  const peers = await import('./peers/redis-peers.ts');
  return new peers.RedisPeers(...options);
}

export class Realtime {
  readonly liveDocuments: LiveDocuments;
  readonly #deps: Dependencies;
  readonly #parts: Awaited<ReturnType<typeof buildParts>>;
  readonly #sockets: Sockets;
  readonly #deferredEvents: DeferredEventPublisher;
  #unsubscribe: (() => Promise<void>) | undefined;

  constructor(deps: Dependencies, parts: Awaited<ReturnType<typeof buildParts>>) {
    this.liveDocuments = parts.liveDocuments;
    this.#deps = deps;
    this.#parts = parts;
    this.#sockets = new Sockets(deps);
    this.#deferredEvents = new DeferredEventPublisher(deps);
  }

  /** Starts following changes of access, and publishing events for edits. */
  start(): void {
    const { feed, config } = this.#deps;
    const { store, watch, connectedUsers, manualPresence, follower } = this.#parts;
    follower.start();
    this.#unsubscribe = feed.subscribe(async (events) => {
      watch.countChanges(events);
      // Most events are of API keys that have no document open here.
      const tenants = new Set([...store.all].map(({ name }) => name.tenantId));
      const relevant = events.filter(({ tenantId }) => tenants.has(tenantId));
      manualPresence.handleEvents(relevant);
      await watch.handleEvents(relevant);
      await reloadChangedPeople({ ...this.#deps, store }, relevant);
    });
    watch.start();
    connectedUsers.start();
    manualPresence.start();
    if (config.roles.has('worker')) this.#deferredEvents.start();
  }

  /** Accepts WebSocket connections on the HTTP server, for the roles of this process. */
  serve(http: Server, services: Services, router: AnyRouter): void {
    const { roles, trustProxy } = this.#deps.config;
    const addressOf = addressReader(trustProxy);
    const paths: Record<string, SocketPath> = {};
    if (roles.has('realtime')) paths['/collaboration'] = this.#editorSockets(addressOf);
    if (roles.has('api')) paths['/trpc'] = streamSockets({ services, router, addressOf });
    this.#sockets.serve(http, paths);
  }

  #editorSockets(addressOf: AddressOf): SocketPath {
    const { connections } = this.#parts;
    const dependencies: Parameters<typeof connectSocket>[0] = {
      addressOf,
      budget: new SendBudget(),
      admissions: new Admissions(),
      frames: new BroadcastFrames(),
      openDocument: (channel, token) => connections.open(channel, token),
    };
    return {
      maxPayload: MAX_UNADMITTED_PAYLOAD,
      onOpen: (socket, request) => connectSocket(dependencies, socket, request),
    };
  }

  /** Closes all sockets. An HTTP server with open sockets would never finish closing. */
  closeConnections(): Promise<void> {
    return this.#sockets.close();
  }

  /** Stores pending edits, and unloads every document. */
  async stop(): Promise<void> {
    const {
      hocuspocus,
      queue,
      store,
      keptDocuments,
      watch,
      connectedUsers,
      manualPresence,
      follower,
      peers,
    } = this.#parts;
    await Promise.all([
      watch.stop(),
      this.#unsubscribe?.(),
      this.#deferredEvents.stop(),
      follower.stop(),
    ]);
    await Promise.all([connectedUsers.stop(), manualPresence.stop()]);
    const lost = await queue.drain(DRAIN_MS);
    if (lost > 0)
      this.#deps.log.error(
        { updates: lost },
        'Edits could not be stored before the process stopped.',
      );
    store.stop();
    keptDocuments.stop();
    await hocuspocus.close();
    await peers?.stop();
  }
}
