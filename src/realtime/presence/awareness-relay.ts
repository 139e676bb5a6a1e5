import type { Document } from '@hocuspocus/server';
import { applyAwarenessUpdate } from 'y-protocols/awareness';
import { type JsonLimits, jsonProblem } from '../../platform/json.ts';
import { TokenBucket } from '../../platform/limits/token-bucket.ts';
import type { LiveConnection, Session } from '../live-connection.ts';
import type { AwarenessGuard } from './awareness-guard.ts';
import { correctState } from './awareness-identity.ts';
import { type ClientState, readAwareness, writeAwareness } from './awareness-message.ts';

/** A connection normally shows one Yjs client, and more only after the client has taken a new id. */
const MAX_CLIENTS = 16;
/** Room for a name, a colour, a cursor and a selection. Every connection receives each state. */
const STATE_LIMITS: JsonLimits = { maxBytes: 16 * 1024, maxDepth: 32 };
/** The most bytes of all states of one connection: normally, and in a full document. */
const MAX_OWN_BYTES = 32 * 1024;
const MAX_OWN_BYTES_IF_FULL = 1_024;
/** A document whose states take more than this is full. */
const FULL_BYTES = 1024 * 1024;

/** How many bytes one connection may show. Each message costs `MESSAGE_OVERHEAD_BYTES` in addition to its size. */
const RATE = { perSecond: 64 * 1024, burst: 256 * 1024 };
const MESSAGE_OVERHEAD_BYTES = 1_024;

/** The awareness that one connection shows. */
interface ShownAwareness {
  /** The size of the state of each client of the connection, by client id. */
  bytesByClient: Map<number, number>;
  /** For each client, its last state that is not shown yet. */
  waiting: Map<number, ClientState>;
  timer: NodeJS.Timeout | undefined;
  /** Clients whose clocks are lower than on their former connections (`clockFor`). */
  clientsBehind: Set<number>;
  /** Each byte costs a token. */
  bucket: TokenBucket;
}

/**
 * Relays awareness states between the connections of a document. Each connection shows only its own
 * clients, as its authenticated user, and at a limited rate. Above the rate, only the last of several states is
 * shown.
 */
export class AwarenessRelay {
  readonly #guard: AwarenessGuard;
  readonly #shown = new WeakMap<Session, ShownAwareness>();
  /** The bytes of all states, by document key. */
  readonly #bytesByDocument = new Map<string, number>();

  constructor(guard: AwarenessGuard) {
    this.#guard = guard;
  }

  /** @throws Error when the message is malformed. */
  receive(connection: LiveConnection, message: Uint8Array): void {
    const shown = this.#shownBy(connection.session);
    for (const client of readAwareness(message)) this.#accept(connection, shown, client);
    if (shown.waiting.size === 0 || shown.timer) return;
    const waitMs = shown.bucket.waitMs();
    if (waitMs === 0) this.#show(connection, shown);
    else shown.timer = setTimeout(() => this.#show(connection, shown), waitMs);
  }

  /** Forgets the states of a closed connection. */
  forget(documentName: string, session: Session): void {
    const shown = this.#shown.get(session);
    if (!shown) return;
    clearTimeout(shown.timer);
    this.#shown.delete(session);
    this.#countBytes(documentName, -ownBytes(shown));
  }

  #shownBy(session: Session): ShownAwareness {
    const shown = this.#shown.get(session) ?? {
      bytesByClient: new Map(),
      waiting: new Map(),
      timer: undefined,
      clientsBehind: new Set(),
      bucket: new TokenBucket(RATE),
    };
    this.#shown.set(session, shown);
    return shown;
  }

  #accept(
    connection: LiveConnection,
    shown: ShownAwareness,
    { clientId, clock, state }: ClientState,
  ): void {
    const { session } = connection;
    const previousBytes = shown.bytesByClient.get(clientId);
    if (previousBytes === undefined && (shown.bytesByClient.size >= MAX_CLIENTS || !state)) return;
    if (state && jsonProblem(state, STATE_LIMITS)) return;
    const corrected = state && correctState(state, session);
    const bytes = corrected ? Buffer.byteLength(JSON.stringify(corrected)) : 0;
    const growth = bytes - (previousBytes ?? 0);
    if (growth > 0 && ownBytes(shown) + growth > this.#maxOwnBytes(connection)) return;
    const { userId } = session;
    const { document } = connection;
    if (!this.#guard.claim({ document, connection, clientId, userId })) return;
    const nextClock = clockFor(document, shown, { clientId, clock });
    shown.bytesByClient.set(clientId, bytes);
    this.#countBytes(document.name, growth);
    shown.waiting.set(clientId, { clientId, clock: nextClock, state: corrected });
  }

  #show(connection: LiveConnection, shown: ShownAwareness): void {
    shown.timer = undefined;
    const { document } = connection;
    if (document.isDestroyed || !document.hasConnection(connection)) return;
    const update = writeAwareness([...shown.waiting.values()]);
    shown.waiting.clear();
    shown.bucket.spend(MESSAGE_OVERHEAD_BYTES + update.length);
    applyAwarenessUpdate(document.awareness, update, { source: 'connection', connection });
  }

  #maxOwnBytes({ document }: LiveConnection): number {
    const isFull = (this.#bytesByDocument.get(document.name) ?? 0) > FULL_BYTES;
    return isFull ? MAX_OWN_BYTES_IF_FULL : MAX_OWN_BYTES;
  }

  #countBytes(documentName: string, change: number): void {
    const bytes = (this.#bytesByDocument.get(documentName) ?? 0) + change;
    if (bytes > 0) this.#bytesByDocument.set(documentName, bytes);
    else this.#bytesByDocument.delete(documentName);
  }
}

const ownBytes = ({ bytesByClient }: ShownAwareness): number =>
  [...bytesByClient.values()].reduce((sum, length) => sum + length, 0);

/**
 * Returns a clock with which other clients accept a state: they refuse clocks that are not above the last one
 * they have seen. A client that reconnects sends its last clock again, or starts at zero if its provider is
 * new. So it gets the next clock here, until it has received that and counts on from it.
 */
function clockFor(
  { awareness }: Document,
  { bytesByClient, clientsBehind }: ShownAwareness,
  { clientId, clock }: Pick<ClientState, 'clientId' | 'clock'>,
): number {
  const lastClock = awareness.meta.get(clientId)?.clock ?? -1;
  const isReturning = !bytesByClient.has(clientId) && !awareness.states.has(clientId);
  if (isReturning && clock <= lastClock) clientsBehind.add(clientId);
  else if (clock >= lastClock) clientsBehind.delete(clientId);
  return clientsBehind.has(clientId) ? lastClock + 1 : clock;
}
