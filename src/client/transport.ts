import {
  createTRPCUntypedClient,
  createWSClient,
  httpBatchLink,
  httpLink,
  jsonEncoder,
  splitLink,
  type TRPCUntypedClient,
  type TRPCWebSocketClient,
  wsLink,
} from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import { QUERIES, SUBSCRIPTIONS } from '../api/contract.ts';
import { bufferedFetch } from './buffered-fetch.ts';
import type { CallOptions, StreamOptions, WriteOptions } from './client-type.ts';
import { Connection } from './connection.ts';
import { CollaborationError, toCollaborationError } from './error.ts';
import { KeptWrites, type WriteStorage } from './kept-writes.ts';
import { Network } from './network.ts';
import { pagesOf } from './pages.ts';
import { randomId } from './random-id.ts';
import { delay, retryDelayMs, throwIfAborted, unlessAborted } from './retry.ts';
import { Semaphore } from './semaphore.ts';
import { startToItem, subscribe } from './subscribe.ts';
import { claimsOf, type Token, TokenSource } from './token-source.ts';
import { type Ping, type SocketClass, watchedSocketClass } from './watched-socket.ts';

export type TransportOptions = {
  /** The address of the server, such as `https://collaboration.example.com`. */
  url: string;
  /** How many times a call is retried if it may succeed later; 4 by default. */
  retries?: number | undefined;
  /**
   * The storage for the user's writes that have no response yet. They are sent after a reload of the page, and take
   * effect once. Use `sessionStorage`, or `localStorage` to keep them even when the tab is closed.
   */
  keepWrites?: WriteStorage | undefined;
  /** `fetch` and `WebSocket` replace those of the runtime, for example in tests, or add them where they are missing. */
  fetch?: typeof fetch | undefined;
  WebSocket?: SocketClass | undefined;
} & Credentials;

/**
 * In a browser, the user's token; on a server, an API key. If `token` is a function, it is called for a new token
 * before the current one expires, and once if the server refuses the token.
 */
export type Credentials =
  | { token: Token; apiKey?: undefined; authToken?: undefined }
  | { apiKey: string; authToken: string; token?: undefined };

const DEFAULT_RETRIES = 4;
/** The longest wait for a response in a browser. The slowest calls, which ask models, end after 60 seconds. */
const RESPONSE_TIMEOUT_MS = 75_000;
/** A write that has waited longer fails. This is well within the 24 hours for which an idempotency key is stored. */
const MAX_WRITE_WAIT_MS = 60 * 60_000;
const MAX_QUERIES_PER_REQUEST = 50;
/** How long an unused connection stays open. The next page often needs it at once. */
const IDLE_CONNECTION_MS = 1_000;
/** The server allows each user 100 subscriptions. The remaining 20 are for the inbox and for other tabs. */
const MAX_SUBSCRIPTIONS = 80;
const INBOX_CHANGES = 'notifications.changes';
const TOKEN_POLL_MS = 500;
const NO_WEBSOCKET =
  'Subscriptions need a WebSocket class: pass one to `createClient` as `WebSocket`.';
const RENEWABLE_REASONS = new Set(['TOKEN_EXPIRED', 'TOKEN_REVOKED']);

/** The state that the attempts of a call share. */
interface CallContext {
  [name: string]: unknown;
  idempotencyKey: string | undefined;
  /** The token that was sent last. */
  token?: string;
}

/** The transformer that the server expects. The contract has JSON values only. */
export const transformer = {
  serialize: (json: unknown) => ({ json }),
  deserialize: ({ json }: { json: unknown }) => json,
};

/** Calls the operations of the server by their names. */
export class Transport {
  readonly connection: Connection;
  readonly network: Network;
  readonly #retries: number;
  readonly #tokens: TokenSource | undefined;
  readonly #client: TRPCUntypedClient<AnyRouter>;
  readonly #closing = new AbortController();
  readonly #options: TransportOptions;
  readonly #url: string;
  readonly #subscriptions: Semaphore | undefined;
  readonly #keptWrites: KeptWrites | undefined;
  /** Resolves once the writes that an earlier page kept have been sent. New writes wait for this. */
  readonly #keptWritesSent: Promise<void> | undefined;
  /** The token with which the connection of the subscriptions was opened. */
  #socketToken: string | undefined;

  constructor(options: TransportOptions) {
    // A build's variable that is not set, or a host without its scheme, would look as if the server could not be reached.
    if (!/^https?:\/\//.test(options.url)) {
      throw new CollaborationError({
        status: 'INVALID_ARGUMENT',
        httpStatus: 0,
        message: `The url of the server must begin with https:// or http://, but it is ${options.url}.`,
      });
    }
    this.#options = options;
    this.#url = options.url.replace(/\/$/, '');
    this.#retries = options.retries ?? DEFAULT_RETRIES;
    this.network = new Network(this.#closing.signal);
    this.#tokens =
      options.token === undefined
        ? undefined
        : new TokenSource(options.token, (state) => {
            // Without a token the server cannot be called, so it counts as unreachable.
            if (state === 'unreachable') this.network.recordFailure();
            else this.network.recordContact();
            this.connection.update();
          });
    const socket = this.#createSocket();
    this.connection = new Connection(this.network, socket, this.#tokens);
    this.#subscriptions = this.#tokens && new Semaphore(MAX_SUBSCRIPTIONS);
    const send = bufferedFetch(options.fetch ?? fetch, this.#tokens && RESPONSE_TIMEOUT_MS);
    this.#client = this.#createClient(send, socket);
    this.#keptWrites = this.#tokens && options.keepWrites && new KeptWrites(options.keepWrites);
    // The promise of `#sendKept` rejects when the client is closed, which is no failure.
    this.#keptWritesSent = this.#keptWrites && this.#sendKept(this.#keptWrites).catch(() => {});
  }

  /** The WebSocket address at which live documents are edited. */
  get editorsUrl(): string {
    return `${this.#url.replace(/^http/, 'ws')}/collaboration`;
  }

  /** Fires when the client is closed. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * The class of this client's WebSockets.
   *
   * @param ping a message to which the server replies at once
   * @param isLoading whether the server is about to send content, which may take long to arrive
   */
  webSocketClass(ping: Ping, isLoading?: () => boolean): SocketClass {
    const { WebSocket = globalThis.WebSocket } = this.#options;
    return watchedSocketClass(WebSocket, this.network, ping, isLoading);
  }

  /** The current user token. @throws for a client with an API key */
  async token(): Promise<string> {
    if (!this.#tokens)
      throw new TypeError('This needs a client with a user token, not with an API key.');
    return this.#tokens.get();
  }

  /** The id of the user whose token the client has. */
  async userId(): Promise<string> {
    return claimsOf(await this.token()).sub;
  }

  /** Returns a promise of the output, or an async iterable for a subscription and for pages. */
  call(path: string, input: unknown, options: StreamOptions & WriteOptions = {}): unknown {
    if (SUBSCRIPTIONS.has(path)) return this.#subscribe(path, input, options);
    if (path.endsWith('.pages')) {
      const get = path.replace(/pages$/, 'get');
      return pagesOf((pageToken) => {
        const page = { ...(input as object), ...(pageToken && { pageToken }) };
        return this.#query(get, page, options) as Promise<{ nextPageToken?: string }>;
      });
    }
    return QUERIES.has(path)
      ? this.#query(path, input, options)
      : this.#mutate(path, input, options);
  }

  close(): void {
    this.#closing.abort();
  }

  #query(path: string, input: unknown, options: CallOptions): Promise<unknown> {
    const { signal } = options;
    return this.#repeat((context) => this.#client.query(path, input, { signal, context }), options);
  }

  async #mutate(path: string, input: unknown, options: WriteOptions): Promise<unknown> {
    const { idempotencyKey = randomId(), writeQueue, signal } = options;
    // A write takes its turn before it waits for the token, so that writes keep their order.
    const turn = writeQueue?.acquire(signal);
    // Presence is not kept: after a reload, it would be out of date.
    const kept = path.startsWith('presence.') ? undefined : this.#keptWrites;
    try {
      // Without a token, the author of the write is unknown, so the write is not kept.
      const token = kept && (await this.token().catch(() => undefined));
      if (token) kept?.add({ path, input, idempotencyKey, userId: claimsOf(token).sub });
      await turn;
      if (token) await unlessAborted(this.#keptWritesSent, signal);
      return await this.#write(path, input, { ...options, idempotencyKey });
    } finally {
      // A write that a closed client could not send stays in the storage, for the user's next sign-in.
      if (!this.#closing.signal.aborted) kept?.remove(idempotencyKey);
      const endTurn = await turn;
      endTurn?.();
    }
  }

  /** Sends the kept writes in their order. A refused write is reported as an uncaught error of the page. */
  async #sendKept(kept: KeptWrites): Promise<void> {
    const { sub } = claimsOf(await this.untilToken());
    for (const { path, input, idempotencyKey } of kept.ofUser(sub)) {
      // Node.js and React Native have no `reportError`.
      const report = globalThis.reportError ?? console.error;
      await this.#write(path, input, { idempotencyKey }).catch((error) => report(error));
      if (this.#closing.signal.aborted) return;
      kept.remove(idempotencyKey);
    }
  }

  /** Sends a write. A user's write waits until the server can be reached. Its idempotency key makes it take effect once. */
  #write(path: string, input: unknown, options: WriteOptions): Promise<unknown> {
    const { signal } = options;
    return this.#repeat((context) => this.#client.mutation(path, input, { signal, context }), {
      ...options,
      waitMs: this.#tokens && !path.startsWith('presence.') ? MAX_WRITE_WAIT_MS : 0,
    });
  }

  #subscribe(
    path: string,
    input: unknown,
    { signal, onStart }: StreamOptions,
  ): AsyncIterable<unknown> {
    const { WebSocket = globalThis.WebSocket } = this.#options;
    if (!WebSocket) throw new TypeError(NO_WEBSOCKET);
    return subscribe(this.#client, {
      path,
      input,
      signals: [this.#closing.signal, signal],
      onStart,
      semaphore: path === INBOX_CHANGES ? undefined : this.#subscriptions,
      mayContinue: (error) => error.retryable || this.discardToken(error.reason, this.#socketToken),
    });
  }

  /**
   * Makes a call, retries it if it may succeed later, and renews a refused token once.
   *
   * @param waitMs how long the call is retried while the server cannot be reached
   * @throws CollaborationError, or the signal's reason
   */
  async #repeat<Result>(
    call: (context: CallContext) => Promise<Result>,
    {
      signal,
      idempotencyKey,
      singleAttempt = false,
      waitMs = 0,
    }: WriteOptions & { waitMs?: number },
  ): Promise<Result> {
    const context: CallContext = { idempotencyKey };
    const retries = singleAttempt ? 0 : this.#retries;
    const waitUntil = performance.now() + waitMs;
    let isRenewed = false;
    for (let attempt = 0; ; attempt++) {
      // A closed client must not write: the app may now return the token of another user, who would be the author.
      if (waitMs > 0 && this.#closing.signal.aborted) throw clientClosed();
      try {
        return await call(context);
      } catch (cause) {
        throwIfAborted(signal);
        const error = toCollaborationError(cause);
        if (!isRenewed && this.discardToken(error.reason, context.token)) {
          isRenewed = true;
          continue;
        }
        // An open socket notices when the network is gone. Without a socket, only the missing response shows it.
        const isUnreachable = this.network.isUnreachable || error.httpStatus === 0;
        const mayWait =
          error.status === 'UNAVAILABLE' && isUnreachable && performance.now() < waitUntil;
        if (!error.retryable || (attempt >= retries && !mayWait)) throw error;
        const delayMs = retryDelayMs(attempt, error.retryAfterMs);
        await (mayWait ? this.network.pause(delayMs, signal) : delay(delayMs, signal));
      }
    }
  }

  /**
   * Waits until the app returns a token. Without one, the server would refuse a connection. `TokenSource` limits how
   * often the app is asked.
   *
   * @param signal ends the wait; by default, the wait ends when the client is closed
   */
  async untilToken(signal = this.#closing.signal): Promise<string> {
    for (;;) {
      const token = await this.token().catch(() => undefined);
      if (token) return token;
      await delay(TOKEN_POLL_MS, signal);
    }
  }

  /** Discards a token that the server refused for this reason. @returns whether another token may be accepted */
  discardToken(reason = '', token: string | undefined): boolean {
    return RENEWABLE_REASONS.has(reason) && this.#tokens?.discard(token) === true;
  }

  #createClient(send: typeof fetch, socket: TRPCWebSocketClient): TRPCUntypedClient<AnyRouter> {
    const http = {
      url: `${this.#url}/trpc`,
      transformer,
      // POST keeps ids out of URLs, and therefore out of the logs of proxies.
      methodOverride: 'POST' as const,
      fetch: send,
    };
    const reads = httpBatchLink({
      ...http,
      maxItems: MAX_QUERIES_PER_REQUEST,
      headers: async ({ opList }) => {
        const { headers, token } = await this.#credentials();
        for (const { context } of opList) context.token = token;
        return headers;
      },
    });
    const writes = httpLink({
      ...http,
      // `keepalive` lets a page that is being closed announce that its user has left.
      fetch: (url, init) =>
        send(url, {
          ...(init as RequestInit),
          keepalive: String(url).endsWith('/presence.update'),
        }),
      headers: async ({ op: { context } }) => {
        const { headers, token } = await this.#credentials();
        context.token = token;
        return { ...headers, 'idempotency-key': String(context.idempotencyKey) };
      },
    });
    return createTRPCUntypedClient<AnyRouter>({
      links: [
        splitLink({
          condition: ({ type }) => type === 'subscription',
          true: wsLink({ client: socket, transformer }),
          false: splitLink({
            condition: ({ type }) => type === 'query',
            true: reads,
            false: writes,
          }),
        }),
      ],
    });
  }

  /** Creates the socket of the subscriptions. It connects at the first subscription. */
  #createSocket(): TRPCWebSocketClient {
    return createWSClient({
      url: async () => {
        await this.network.untilAttempt();
        if (this.#tokens) await this.untilToken();
        return `${this.#url.replace(/^http/, 'ws')}/trpc`;
      },
      connectionParams: async () => {
        const { apiKey, authToken } = this.#options;
        if (apiKey !== undefined) return { apiKey, authToken };
        this.#socketToken = await this.token();
        return { token: this.#socketToken };
      },
      experimental_encoder: {
        ...jsonEncoder,
        decode: (text) => startToItem(jsonEncoder.decode(text)),
      },
      lazy: { enabled: true, closeMs: IDLE_CONNECTION_MS },
      // `untilAttempt` already waits between attempts.
      retryDelayMs: () => 0,
      WebSocket: this.webSocketClass('PING'),
    });
  }

  async #credentials(): Promise<{ headers: Record<string, string>; token?: string }> {
    const { apiKey, authToken } = this.#options;
    if (apiKey !== undefined) {
      return { headers: { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken } };
    }
    const token = await this.token();
    return { headers: { authorization: `Bearer ${token}` }, token };
  }
}

const clientClosed = () =>
  new CollaborationError({
    status: 'FAILED_PRECONDITION',
    httpStatus: 0,
    message: 'The client was closed before the server could be reached.',
  });

const transports = new WeakMap<object, Transport>();

/** Remembers the transport of a client for the other parts of this package. */
export const registerTransport = (client: object, transport: Transport): void =>
  void transports.set(client, transport);

/** @throws for an object that `createClient` did not make */
export function transportOf(client: object): Transport {
  const transport = transports.get(client);
  if (!transport) throw new TypeError('This is not a client that createClient made.');
  return transport;
}
