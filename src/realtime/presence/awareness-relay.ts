import type { Connection } from '@hocuspocus/server';
import { applyAwarenessUpdate } from 'y-protocols/awareness';
import { type JsonLimits, jsonProblem } from '../../platform/json.ts';
import { TokenBucket } from '../../platform/limits/token-bucket.ts';
import type { LiveContext, Session } from '../live-context.ts';
import type { AwarenessGuard } from './awareness-guard.ts';
import { correctState } from './awareness-identity.ts';
import { type ClientState, readAwareness, writeAwareness } from './awareness-message.ts';

/** A connection normally shows one client, and more only after a client has renewed its id. */
const MAX_CLIENTS = 16;
/** Room for a name, a colour, a cursor and a selection, since every connection receives a state. */
const STATE: JsonLimits = { maxBytes: 16 * 1024, maxDepth: 32 };
/** The limits of all states of one connection, normally and in a document with many states. */
const MAX_OWN_BYTES = 32 * 1024;
const MAX_OWN_BYTES_IN_FULL = 1_024;
const FULL_BYTES = 1024 * 1024;

/** The token bucket of one connection, with a fixed cost for each message. */
const RATE = { perSecond: 64 * 1024, burst: 256 * 1024 };
const MESSAGE_BYTES = 1_024;

type Editor = Connection<LiveContext>;

/** The awareness that one connection shows. */
interface Shown {
  /** The clients of the connection, with the size of their states. */
  bytes: Map<number, number>;
  /** The last state of each client that was not shown yet. */
  waiting: Map<number, ClientState>;
  timer: NodeJS.Timeout | undefined;
  /** Each byte costs a token. */
  bucket: TokenBucket;
}

/**
 * Relays awareness states between the connections of a document. Each connection shows its own clients
 * only, with its authenticated user, and at a limited rate: of faster states the last one is shown.
 */
export class AwarenessRelay {
  readonly #guard: AwarenessGuard;
  readonly #shown = new WeakMap<Session, Shown>();
  /** The bytes of all states, by document key. */
  readonly #bytes = new Map<string, number>();

  constructor(guard: AwarenessGuard) {
    this.#guard = guard;
  }

  /** @throws Error when the message is malformed. */
  receive(connection: Editor, message: Uint8Array): void {
    const { session } = connection.context;
    if (!session) return;
    const shown = this.#shownIn(session);
    for (const client of readAwareness(message)) this.#take(connection, shown, client);
    if (shown.waiting.size === 0 || shown.timer) return;
    const waitMs = shown.bucket.waitMs();
    if (waitMs === 0) this.#show(connection, shown);
    else shown.timer = setTimeout(() => this.#show(connection, shown), waitMs);
  }

  /** Forgets the states of a closed connection. */
  leave(documentName: string, session: Session): void {
    const shown = this.#shown.get(session);
    if (!shown) return;
    clearTimeout(shown.timer);
    this.#shown.delete(session);
    this.#count(documentName, -ownBytes(shown));
  }

  #shownIn(session: Session): Shown {
    const known = this.#shown.get(session);
    const shown = known ?? {
      bytes: new Map(),
      waiting: new Map(),
      timer: undefined,
      bucket: new TokenBucket(RATE),
    };
    this.#shown.set(session, shown);
    return shown;
  }

  #take(connection: Editor, shown: Shown, { clientId, clock, state }: ClientState): void {
    const { session } = connection.context;
    const before = shown.bytes.get(clientId);
    if (!session || (before === undefined && (shown.bytes.size >= MAX_CLIENTS || !state))) return;
    if (state && jsonProblem(state, STATE)) return;
    const corrected = state && correctState(state, session);
    const bytes = corrected ? JSON.stringify(corrected).length : 0;
    const grows = bytes - (before ?? 0);
    if (grows > 0 && ownBytes(shown) + grows > this.#roomIn(connection)) return;
    const { userId } = session;
    const { document } = connection;
    if (!this.#guard.claim({ document, connection, clientId, userId })) return;
    shown.bytes.set(clientId, bytes);
    this.#count(document.name, grows);
    shown.waiting.set(clientId, { clientId, clock, state: corrected });
  }

  #show(connection: Editor, shown: Shown): void {
    shown.timer = undefined;
    const { document } = connection;
    if (document.isDestroyed || !document.hasConnection(connection)) return;
    const update = writeAwareness([...shown.waiting.values()]);
    shown.waiting.clear();
    shown.bucket.spend(MESSAGE_BYTES + update.length);
    applyAwarenessUpdate(document.awareness, update, { source: 'connection', connection });
  }

  #roomIn({ document }: Editor): number {
    const isFull = (this.#bytes.get(document.name) ?? 0) > FULL_BYTES;
    return isFull ? MAX_OWN_BYTES_IN_FULL : MAX_OWN_BYTES;
  }

  #count(documentName: string, change: number): void {
    const bytes = (this.#bytes.get(documentName) ?? 0) + change;
    if (bytes > 0) this.#bytes.set(documentName, bytes);
    else this.#bytes.delete(documentName);
  }
}

const ownBytes = ({ bytes }: Shown): number =>
  [...bytes.values()].reduce((sum, length) => sum + length, 0);
