export type ConnectionStatus = 'idle' | 'connecting' | 'connected';

/** The state of the connection that subscriptions share, for an indicator on a page. */
export class Connection {
  #status: ConnectionStatus = 'idle';
  readonly #listeners = new Set<() => void>();

  /** `idle` without subscriptions; `connecting` also while it is interrupted. */
  get status(): ConnectionStatus {
    return this.#status;
  }

  /** @returns the function that ends it */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** @internal */
  set(status: ConnectionStatus): void {
    if (status === this.#status) return;
    this.#status = status;
    for (const listener of this.#listeners) listener();
  }
}
