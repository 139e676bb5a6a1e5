import type { Network } from './network.ts';

/**
 * How long the server may be silent before the socket sends a ping, and how long the socket waits for the reply: on
 * a visible page, and on a hidden one.
 */
const VISIBLE_LIMITS = { silenceMs: 2_500, replyMs: 2_000 };
const HIDDEN_LIMITS = { silenceMs: 20_000, replyMs: 10_000 };
/** The limits while content is loading. A long message looks like silence until all of it has arrived. */
const LOADING_LIMITS = { silenceMs: 60_000, replyMs: 15_000 };
/** The slowest expected upload speed. A ping gets the extra time that the messages before it take at this speed. */
const MIN_BYTES_PER_MS = 16;
const CONNECT_TIMEOUT_MS = 5_000;

/** A message to which the server replies at once. */
export type Ping = string | Uint8Array<ArrayBuffer>;

export type SocketClass = typeof WebSocket;

type Listener = (event: object) => void;

const isHidden = (): boolean =>
  typeof document === 'undefined' || document.visibilityState === 'hidden';

/**
 * Returns a class of WebSockets that notice when they are dead, on a visible page within five seconds, and that close
 * at once. A browser's own WebSocket can wait for minutes after the network is gone, even for the reply to its close
 * frame.
 *
 * @param Base the runtime's WebSocket
 * @param isLoading whether the server is about to send content of any length
 */
export function watchedSocketClass(
  Base: typeof WebSocket,
  network: Network,
  ping: Ping,
  isLoading: () => boolean = () => false,
): typeof WebSocket {
  const limits = () => {
    if (isLoading()) return LOADING_LIMITS;
    return isHidden() ? HIDDEN_LIMITS : VISIBLE_LIMITS;
  };
  class WatchedSocket {
    static readonly CONNECTING: number = 0;
    static readonly OPEN = 1;
    static readonly CLOSING = 2;
    static readonly CLOSED = 3;
    readonly OPEN = 1;
    readyState = WatchedSocket.CONNECTING;
    /** Kept here, since React Native has no `EventTarget` to inherit from. */
    readonly #listeners = new Map<string, Set<Listener>>();
    readonly #inner: WebSocket;
    readonly #stopWatching: () => void;
    #openedAt: number | undefined;
    /** The time of `performance.now()` at which even the slowest network has sent all messages so far. */
    #drainedAt = 0;
    #timer: ReturnType<typeof setTimeout> | undefined;

    constructor(url: string | URL, protocols?: string | string[]) {
      this.#inner = new Base(url, protocols);
      this.#inner.onopen = () => this.#onOpen();
      this.#inner.onmessage = ({ data }) => this.#onMessage(data);
      this.#inner.onclose = ({ code, reason }) => this.#onLost(code, reason);
      // An error is handled in the close event that follows it.
      this.#inner.onerror = () => {};
      this.#stopWatching = network.onWake(() => this.#check());
      this.#setTimer(CONNECT_TIMEOUT_MS, () => this.#fail());
      if (network.isOffline) queueMicrotask(() => this.#check());
    }

    get binaryType() {
      return this.#inner.binaryType;
    }

    set binaryType(type) {
      this.#inner.binaryType = type;
    }

    addEventListener(type: string, listener: Listener): void {
      const listeners = this.#listeners.get(type) ?? new Set();
      this.#listeners.set(type, listeners.add(listener));
    }

    removeEventListener(type: string, listener: Listener): void {
      this.#listeners.get(type)?.delete(listener);
    }

    send(data: Ping): void {
      const now = performance.now();
      this.#drainedAt = Math.max(now, this.#drainedAt) + data.length / MIN_BYTES_PER_MS;
      this.#inner.send(data);
    }

    close(code = 1000, reason = ''): void {
      this.#closeNow(code, reason);
    }

    #onOpen(): void {
      this.readyState = this.OPEN;
      this.#openedAt = performance.now();
      this.#waitForSilence();
      this.#emit('open');
    }

    #onMessage(data: unknown): void {
      if (this.readyState !== this.OPEN) return;
      network.recordContact();
      this.#waitForSilence();
      // The reply to an editor's ping is one byte. It is not passed on, since the provider could not read it.
      const isPong = data instanceof ArrayBuffer && data.byteLength === 1;
      if (!isPong) this.#emit('message', { data });
    }

    /** Calls every listener, even when one of them throws. */
    #emit(type: string, details = {}): void {
      for (const listener of this.#listeners.get(type) ?? []) {
        try {
          listener({ type, target: this, ...details });
        } catch (error) {
          setTimeout(() => {
            throw error;
          });
        }
      }
    }

    /** Checks the connection after the network has changed, or the page has become visible again. */
    #check(): void {
      if (network.isOffline) this.#onLost(1006, 'The browser is offline.');
      else if (this.readyState === this.OPEN) this.#ping();
    }

    #waitForSilence(): void {
      this.#setTimer(limits().silenceMs, () => this.#ping());
    }

    #ping(): void {
      this.#inner.send(ping);
      const sendingMs = Math.max(0, this.#drainedAt - performance.now());
      this.#setTimer(limits().replyMs + sendingMs, () => this.#fail());
    }

    #fail(): void {
      network.recordFailure();
      this.#closeNow(1006, 'The server did not reply.');
    }

    /** Closes the socket after the server or the network has ended the connection. */
    #onLost(code: number, reason: string): void {
      if (this.readyState === WatchedSocket.CLOSED) return;
      this.#closeNow(code, reason);
      const opened = this.#openedAt;
      network.recordClose(opened === undefined ? 0 : performance.now() - opened);
    }

    #setTimer(ms: number, callback: () => void): void {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(callback, ms);
    }

    #closeNow(code: number, reason: string): void {
      if (this.readyState === WatchedSocket.CLOSED) return;
      const wasConnecting = this.readyState === WatchedSocket.CONNECTING;
      this.readyState = WatchedSocket.CLOSED;
      clearTimeout(this.#timer);
      this.#stopWatching();
      this.#inner.onopen = this.#inner.onmessage = this.#inner.onclose = null;
      const isAllowed = code === 1000 || (code >= 3000 && code < 5000);
      this.#inner.close(isAllowed ? code : 1000, reason);
      queueMicrotask(() => {
        if (wasConnecting) this.#emit('error');
        this.#emit('close', { code, reason, wasClean: false });
      });
    }
  }
  return WatchedSocket as unknown as typeof WebSocket;
}
