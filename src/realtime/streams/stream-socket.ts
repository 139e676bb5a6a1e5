import type { IncomingMessage } from 'node:http';
import { type AnyRouter, callTRPCProcedure } from '@trpc/server';
import type { WebSocket } from 'ws';
import { isLargeBody } from '../../api/body/json-body.ts';
import type { RequestContext, Services } from '../../api/context.ts';
import type { AddressOf } from '../../api/credentials/client-address.ts';
import { readHeader } from '../../api/credentials/headers.ts';
import { withConnectionParams } from '../../api/middleware/connect-stream.ts';
import { toAppError } from '../../api/responses/failures.ts';
import { AppError, invalidArgument } from '../../platform/errors.ts';
import { nextTurn } from '../../platform/event-loop.ts';
import { newId } from '../../platform/ids.ts';
import { TokenBucket } from '../../platform/limits/token-bucket.ts';
import { closeEventOfFailure, refuseSocket } from '../refusal.ts';
import { Admissions } from '../sockets/admissions.ts';
import type { SocketPath } from '../sockets/sockets.ts';
import { StreamOutbox } from './stream-outbox.ts';
import {
  type ConnectionParams,
  failureMessage,
  idOf,
  itemMessage,
  parseConnectionParams,
  parseRequest,
  type StreamId,
  type StreamRequest,
  splitRequests,
  startedMessage,
  stoppedMessage,
} from './stream-protocol.ts';

/** How fast a client may send. When a page reconnects, it requests all its subscriptions at once. */
const REQUEST_RATE = { perSecond: 20, burst: 300 };
/** The most subscriptions of one socket. */
const MAX_STREAMS = 100;

interface ServedRouter {
  services: Services;
  router: AnyRouter;
  addressOf: AddressOf;
}

interface Dependencies extends ServedRouter {
  admissions: Admissions;
  socket: WebSocket;
  request: IncomingMessage;
  address: string;
}

/**
 * The subscriptions of one page over one WebSocket. Each of them is a call like one over HTTP, with
 * the same credentials and limits, and pauses while the client does not read.
 *
 * When the credentials of a running subscription expire or are revoked, the socket is closed with the
 * reason, since a client can show new credentials only when it connects. The client then resumes its
 * subscriptions.
 */
class StreamSocket {
  readonly #deps: Dependencies;
  readonly #outbox: StreamOutbox;
  /** The controllers that stop the running subscriptions, by the id of the subscription. */
  readonly #streams = new Map<StreamId, AbortController>();
  readonly #rate = new TokenBucket(REQUEST_RATE);
  /** The credentials in the first message of a client: undefined before that message, null if the client sends none. */
  #params: ConnectionParams | undefined;
  #isAdmitted = false;
  /** How many subscriptions are starting: their credentials are being checked. */
  #startingCount = 0;
  /** Resolves once all requests that have arrived are handled, in their order. */
  #handled = Promise.resolve();

  constructor(deps: Dependencies) {
    this.#deps = deps;
    const { socket, request, admissions } = deps;
    this.#outbox = new StreamOutbox(socket);
    const hasParams = request.url?.includes('connectionParams=1') ?? false;
    this.#params = hasParams ? undefined : null;
    admissions.add(socket);
    socket.on('message', (data: Buffer) => this.#receive(data.toString()));
    socket.on('ping', (data: Buffer) => {
      if (this.#acceptMessage()) this.#outbox.pong(data);
    });
    socket.once('close', () => {
      for (const stop of this.#streams.values()) stop.abort();
    });
  }

  #receive(text: string): void {
    if (!this.#acceptMessage() || text === 'PONG') return;
    try {
      if (text === 'PING') this.#outbox.write('PONG');
      else if (this.#params === undefined) this.#params = parseConnectionParams(text);
      else this.#handleAll(text);
    } catch (error) {
      this.#send(failureMessage(this.#deps.router, null, { error }));
    }
  }

  #handleAll(text: string): void {
    const requests = splitRequests(text);
    if (this.#rate.spend(requests.length)) {
      const bytes = Buffer.byteLength(text);
      this.#handled = this.#handled.then(() => this.#handleInTurns(requests, bytes));
    } else {
      this.#refuse();
    }
  }

  /** Handles each request of a message in a turn of its own, since many sockets may send many requests at once. */
  async #handleInTurns(requests: readonly unknown[], bytes: number): Promise<void> {
    for (const [index, request] of requests.entries()) {
      await nextTurn();
      if (!this.#outbox.isOpen) return;
      // The bytes of a batch are charged to its first request.
      this.#handle(request, index === 0 ? bytes : 0);
    }
  }

  /**
   * Counts a message against the rate, and closes the socket if the rate is exceeded. While the client does
   * not read what it is sent, this also pauses reading from the client.
   *
   * @returns whether to handle the message. One that arrives after the close frame was sent is not handled.
   */
  #acceptMessage(): boolean {
    if (!this.#outbox.isOpen) return false;
    this.#outbox.pauseIfUnread();
    const isWithinRate = this.#rate.spend();
    if (!isWithinRate) this.#refuse();
    return isWithinRate;
  }

  #handle(unparsed: unknown, bytes: number): void {
    const { router } = this.#deps;
    try {
      const request = parseRequest(router, unparsed);
      if ('stop' in request) this.#streams.get(request.id)?.abort();
      else void this.#stream(request, bytes);
    } catch (error) {
      this.#send(failureMessage(router, idOf(unparsed), { error }));
    }
  }

  /** Runs a subscription to its end. Never rejects. */
  async #stream(request: Exclude<StreamRequest, { stop: true }>, bytes: number): Promise<void> {
    const { id, path } = request;
    const stop = new AbortController();
    const call = { path, ctx: this.#context(bytes, stop.signal) };
    const isNewId = !this.#streams.has(id);
    if (isNewId) this.#streams.set(id, stop);
    let hasStarted = false;
    try {
      if (!isNewId) throw invalidArgument('id: is already used by another subscription.');
      if (this.#streams.size > MAX_STREAMS) throw tooManyStreamsError();
      const items = await this.#start(request, call.ctx, stop.signal);
      hasStarted = true;
      this.#send(startedMessage(id, call.ctx.position));
      await this.#sendAll(id, items);
      this.#send(stoppedMessage(id));
    } catch (error) {
      this.#fail(id, toAppError(error), hasStarted, call);
    } finally {
      stop.abort();
      if (isNewId) this.#streams.delete(id);
    }
  }

  async #start(
    { path, input }: Exclude<StreamRequest, { stop: true }>,
    ctx: RequestContext,
    signal: AbortSignal,
  ): Promise<AsyncIterable<unknown>> {
    const { router, admissions, socket } = this.#deps;
    this.#startingCount++;
    if (!this.#isAdmitted) admissions.exempt(socket);
    try {
      const getRawInput = async () => input;
      const call = { router, path, getRawInput, ctx, type: 'subscription', signal, batchIndex: 0 };
      const items = await callTRPCProcedure(call as Parameters<typeof callTRPCProcedure>[0]);
      this.#isAdmitted = true;
      admissions.remove(socket);
      return items as AsyncIterable<unknown>;
    } finally {
      this.#startingCount--;
      if (!this.#isAdmitted && this.#startingCount === 0) admissions.addRefused(socket);
    }
  }

  async #sendAll(id: StreamId, items: AsyncIterable<unknown>): Promise<void> {
    const iterator = items[Symbol.asyncIterator]();
    try {
      for (;;) {
        // An item is read only when it can be sent, so that it contains what the client may see at that time.
        await this.#outbox.whenRead();
        const next = await iterator.next();
        if (next.done || !this.#outbox.isOpen) return;
        this.#send(itemMessage(this.#deps.router, id, next.value));
      }
    } finally {
      await iterator.return?.();
    }
  }

  /** Reports a failure to the client, and closes the socket if the client must connect again. */
  #fail(
    id: StreamId,
    failure: AppError,
    hasStarted: boolean,
    call: { path: string; ctx: RequestContext },
  ): void {
    const { router, socket } = this.#deps;
    const { code, reason } = closeEventOfFailure(failure);
    if (hasStarted && failure.credentialsReason) {
      socket.close(code, reason);
    } else if (failure.status === 'UNAVAILABLE') {
      // A failure without an id makes clients wait longer before each attempt to reconnect.
      this.#send(failureMessage(router, null, { error: failure, ...call }));
      socket.close(code, reason);
    } else {
      this.#send(failureMessage(router, id, { error: failure, ...call }));
    }
  }

  #context(unchargedBytes: number, signal: AbortSignal) {
    const { services, request, socket, address } = this.#deps;
    const requestId = newId();
    const ctx: RequestContext = {
      ...services,
      requestId,
      caller: {},
      body: { unchargedBytes, isLarge: isLargeBody(unchargedBytes) },
      log: services.log.child({ requestId }),
      signal,
      header: (name) => readHeader(request, name, services.config),
      setHeaders: () => undefined,
      address: () => address,
      disconnect: () => socket.terminate(),
    };
    const streamContext: RequestContext & { position: string | undefined } = {
      ...withConnectionParams(ctx, this.#params ?? null),
      sendStartPosition: (eventId) => {
        streamContext.position = eventId;
      },
      position: undefined,
    };
    return streamContext;
  }

  #send(message: object): void {
    this.#outbox.write(JSON.stringify(message));
  }

  #refuse(): void {
    refuseSocket(this.#deps.socket, 'RESOURCE_EXHAUSTED');
  }
}

const tooManyStreamsError = () =>
  new AppError(
    'RESOURCE_EXHAUSTED',
    `One connection can have at most ${MAX_STREAMS} subscriptions.`,
  );

/** The largest message of a client: credentials, or the inputs of a page's subscriptions. */
const MAX_PAYLOAD = 256 * 1024;

/** Serves the subscriptions of tRPC's WebSocket link. All those of a page share one connection. */
export function streamSockets(served: ServedRouter): SocketPath {
  const admissions = new Admissions();
  return {
    maxPayload: MAX_PAYLOAD,
    onOpen(socket, request) {
      const address = served.addressOf(request);
      new StreamSocket({ ...served, admissions, socket, request, address });
    },
  };
}
