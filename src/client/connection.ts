import { Listeners } from './listeners.ts';
import type { Network } from './network.ts';

/**
 * `connected`: changes arrive. `offline`: the server cannot be reached, and is tried again. `signedOut`:
 * the app gives no token, so nothing works until the user signs in. `idle`: there are no subscriptions.
 */
export type ConnectionStatus = 'idle' | 'connecting' | 'connected' | 'offline' | 'signedOut';

/** The state of the connection that subscriptions share, for an indicator on a page. */
export class Connection {
  readonly #network: Network;
  readonly #retry: () => void;
  readonly #listeners = new Listeners();
  #socket: 'idle' | 'connecting' | 'connected' = 'idle';
  #isSignedOut = false;
  #shown: ConnectionStatus = 'idle';

  /** @internal */
  constructor(network: Network, retry: () => void) {
    this.#network = network;
    this.#retry = retry;
    network.subscribe(() => this.#show());
  }

  get status(): ConnectionStatus {
    if (this.#isSignedOut) return 'signedOut';
    if (this.#socket === 'connecting' && this.#network.isAway) return 'offline';
    return this.#network.isOffline && this.#socket === 'connected' ? 'offline' : this.#socket;
  }

  /** Tries again at once, also to get a token. Call this from a button, and after a sign-in. */
  retry(): void {
    this.#retry();
  }

  /** Calls the listener when the status changes. @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void {
    return this.#listeners.subscribe(listener);
  }

  /** @internal */
  set(socket: 'idle' | 'connecting' | 'connected'): void {
    this.#socket = socket;
    this.#show();
  }

  /** @internal */
  signedOut(isSignedOut: boolean): void {
    this.#isSignedOut = isSignedOut;
    this.#show();
  }

  #show(): void {
    if (this.status === this.#shown) return;
    this.#shown = this.status;
    this.#listeners.notify();
  }
}
