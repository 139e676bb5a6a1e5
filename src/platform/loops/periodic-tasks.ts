import type { Sql } from '../database/database.ts';
import { BackgroundLoop, type LoopParts } from './background-loop.ts';
import type { DueWork } from './due-work.ts';

/**
 * Work that every process with the role worker does again and again: at an interval, or when its
 * earliest row is due. Idempotent.
 */
export type PeriodicTask<Context> = {
  name: string;
  run(context: Context): Promise<void>;
} & ({ intervalMs: number } | { nextDue: () => Sql });

/** Runs each task in a loop of its own. */
export class PeriodicTasks<Context> {
  readonly #tasks: Array<PeriodicTask<Context>>;
  readonly #parts: LoopParts & { dueWork: DueWork };
  #loops: BackgroundLoop[] = [];
  #leave: Array<() => void> = [];

  constructor(parts: LoopParts & { dueWork: DueWork }, tasks: Array<PeriodicTask<Context>>) {
    this.#parts = parts;
    this.#tasks = tasks;
  }

  start(context: Context): void {
    this.#loops = this.#tasks.map((task) => this.#startTask(task, context));
  }

  /** Lets what runs come to its end. */
  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }

  #startTask(task: PeriodicTask<Context>, context: Context): BackgroundLoop {
    const loop = new BackgroundLoop(this.#parts, {
      name: task.name,
      run: () => task.run(context),
      failure: 'A periodic task failed and will be run again.',
      ...('intervalMs' in task && { everyMs: task.intervalMs }),
    });
    if ('nextDue' in task) {
      this.#leave.push(this.#parts.dueWork.watch(task.nextDue, () => loop.wake()));
    }
    loop.start();
    return loop;
  }
}
