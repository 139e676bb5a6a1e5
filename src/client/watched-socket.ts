import type { Network } from './network.ts';

/** After this silence the socket sends a ping, and waits for the answer. */
const VISIBLE = { silenceMs: 2_500, answerMs: 2_000 };
const HIDDEN = { silenceMs: 20_000, answerMs: 10_000 };
const CONNECT_MS = 5_000;

/** A message that the server answers at once. */
export type Ping = string | Uint8Array<ArrayBuffer>;

export type SocketClass = typeof WebSocket;

type Listener = (event: object) => void;

const isHidden = (): boolean =>
  typeof document === 'undefined' || document.visibilityState === 'hidden';

/**
 * Returns a WebSocket that knows within five seconds that it is dead, and closes at once: a browser's own
 * waits minutes for a network that is gone, and for the end of a closing handshake.
 *
 * @param Base the runtime's WebSocket
 */
export function watchedSocket(
  Base: typeof WebSocket,
  network: Network,
  ping: Ping,
): typeof WebSocket {
  class WatchedSocket {
    static readonly CONNECTING = 0;
    static readonly OPEN = 1;
    static readonly CLOSING = 2;
    static readonly CLOSED = 3;
    readonly CONNECTING = 0;
    readonly OPEN = 1;
    readonly CLOSING = 2;
    readonly CLOSED = 3;
    readyState = 0;
    /** React Native has no `EventTarget` to inherit from. */
    readonly #listeners = new Map<string, Set<Listener>>();
    readonly #inner: WebSocket;
    readonly #forget: () => void;
    #openedAt: number | undefined;
    #timer: ReturnType<typeof setTimeout> | undefined;

    constructor(url: string | URL, protocols?: string | string[]) {
      this.#inner = new Base(url, protocols);
      this.#inner.onopen = () => this.#isOpen();
      this.#inner.onmessage = ({ data }) => this.#hears(data);
      this.#inner.onclose = ({ code, reason }) => this.#end(code, reason);
      // The close event that follows has the reason.
      this.#inner.onerror = () => {};
      this.#forget = network.onChange(() => this.#check());
      this.#expect(CONNECT_MS, () => this.#isDead());
      if (network.isOffline) queueMicrotask(() => this.#check());
    }

    get binaryType() {
      return this.#inner.binaryType;
    }

    set binaryType(type) {
      this.#inner.binaryType = type;
    }

    get bufferedAmount() {
      return this.#inner.bufferedAmount;
    }

    addEventListener(type: string, listener: Listener): void {
      const listeners = this.#listeners.get(type) ?? new Set();
      this.#listeners.set(type, listeners.add(listener));
    }

    removeEventListener(type: string, listener: Listener): void {
      this.#listeners.get(type)?.delete(listener);
    }

    send(data: string | ArrayBufferLike | Blob | ArrayBufferView<ArrayBuffer>): void {
      this.#inner.send(data as string);
    }

    close(code = 1000, reason = ''): void {
      this.#end(code, reason, { isOwn: true });
    }

    #isOpen(): void {
      this.readyState = this.OPEN;
      this.#openedAt = performance.now();
      this.#listen();
      this.#emit('open');
    }

    #hears(data: unknown): void {
      if (this.readyState !== this.OPEN) return;
      network.reached();
      this.#listen();
      // The protocol of editors has no answer to a ping that its provider could read.
      const isAnswer = data instanceof ArrayBuffer && data.byteLength === 1;
      if (!isAnswer) this.#emit('message', { data });
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

    /** Looks again after a change: the page was asleep, or the network has gone. */
    #check(): void {
      if (network.isOffline) this.#end(1006, 'The browser is offline.');
      else if (this.readyState === this.OPEN) this.#ask();
    }

    #listen(): void {
      this.#expect((isHidden() ? HIDDEN : VISIBLE).silenceMs, () => this.#ask());
    }

    #ask(): void {
      this.#inner.send(ping);
      const { answerMs } = isHidden() ? HIDDEN : VISIBLE;
      this.#expect(answerMs, () => this.#isDead());
    }

    #isDead(): void {
      network.failed();
      this.#end(1006, 'There was no answer.', { isOwn: true });
    }

    #expect(ms: number, otherwise: () => void): void {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(otherwise, ms);
    }

    #end(code: number, reason: string, { isOwn = false } = {}): void {
      if (this.readyState === this.CLOSED) return;
      const wasConnecting = this.readyState === this.CONNECTING;
      this.readyState = this.CLOSED;
      clearTimeout(this.#timer);
      this.#forget();
      const opened = this.#openedAt;
      if (!isOwn) network.reached(opened === undefined ? 0 : performance.now() - opened);
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
