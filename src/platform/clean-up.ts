import { inspect } from 'node:util';
import { cutSecrets } from './cut-secrets.ts';

/** Undoes what was built, newest first, once. One step that fails does not stop the others. */
export class CleanUp {
  readonly #steps: Array<() => unknown> = [];
  #done: Promise<void> | undefined;

  add(step: () => unknown): void {
    this.#steps.push(step);
  }

  run(): Promise<void> {
    this.#done ??= this.#runAll();
    return this.#done;
  }

  async #runAll(): Promise<void> {
    for (const step of this.#steps.toReversed()) {
      try {
        await step();
      } catch (error) {
        console.error('A part did not stop as it should:', cutSecrets(inspect(error)));
      }
    }
  }
}
