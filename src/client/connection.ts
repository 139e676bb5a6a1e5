import type { TRPCWebSocketClient } from '@trpc/client';
import { Listeners } from './listeners.ts';
import type { Network } from './network.ts';
import type { TokenSource } from './token-source.ts';

/**
 * `connected`: changes arrive. `offline`: the server cannot be reached, and the client keeps trying. `signedOut`:
 * the app returns no token, so nothing works until the user signs in. `idle`: there are no subscriptions.
 */
export type ConnectionStatus = 'idle' | 'connecting' | 'connected' | 'offline' | 'signedOut';

/** The state of the connection that subscriptions share, for an indicator on a page. */
export class Connection {
  readonly #network: Network;
  readonly #socket: TRPCWebSocketClient;
  readonly #tokens: TokenSource | undefined;
  readonly #listeners = new Listeners();
  #lastStatus: ConnectionStatus = 'idle';

  /** @internal */
  constructor(network: Network, socket: TRPCWebSocketClient, tokens: TokenSource | undefined) {
    this.#network = network;
    this.#socket = socket;
    this.#tokens = tokens;
    network.subscribe(() => this.update());
    socket.connectionState.subscribe({ next: () => this.update() });
  }

  get status(): ConnectionStatus {
    if (this.#tokens?.state === 'signedOut') return 'signedOut';
    const { state } = this.#socket.connectionState.get();
    if (state === 'connecting' && this.#network.isUnreachable) return 'offline';
    // tRPC calls an open connection `pending`.
    if (state === 'pending') return this.#network.isOffline ? 'offline' : 'connected';
    return state;
  }

  /** Tries at once to get a token and to connect. Call this from a button, and after a sign-in. */
  retry(): void {
    this.#tokens?.retry();
    this.#network.wake();
    // The token is not needed here: the call itself updates the status.
    this.#tokens?.get().catch(() => {});
  }

  /** Calls the listener when the status changes. @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void {
    return this.#listeners.subscribe(listener);
  }

  /** @internal Calls the listeners if the status has changed. */
  update(): void {
    if (this.status === this.#lastStatus) return;
    this.#lastStatus = this.status;
    this.#listeners.notify();
  }
}
