import { inspect } from 'node:util';
import { redactSecrets } from './redact-secrets.ts';

/**
 * Like `AsyncDisposableStack` of later runtimes: disposes of resources once, newest first. A
 * failing step is logged and does not stop the others.
 */
export class AsyncDisposables {
  readonly #steps: Array<() => unknown> = [];
  #disposed: Promise<void> | undefined;

  /** Adds a step that runs on disposal. */
  defer(step: () => unknown): void {
    this.#steps.push(step);
  }

  disposeAsync(): Promise<void> {
    this.#disposed ??= this.#disposeAll();
    return this.#disposed;
  }

  async #disposeAll(): Promise<void> {
    for (const step of this.#steps.toReversed()) {
      try {
        await step();
      } catch (error) {
        console.error('A part did not stop as it should:', redactSecrets(inspect(error)));
      }
    }
  }
}
