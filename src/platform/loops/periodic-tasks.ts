import type { Sql } from '../database/database.ts';
import type { Worker } from '../worker.ts';
import { BackgroundLoop, type LoopDependencies } from './background-loop.ts';
import type { DueWork } from './due-work.ts';

/**
 * Work that every process with the role worker repeats: at an interval, or when its earliest row is
 * due. Several processes may do it at once.
 */
export type PeriodicTask<Context> = {
  name: string;
  run(context: Context): Promise<void>;
} & ({ intervalMs: number } | { nextDue: () => Sql });

/** Returns the worker that runs a task in a loop of its own. */
export const createPeriodicWorker = <Context extends LoopDependencies & { dueWork: DueWork }>(
  task: PeriodicTask<Context>,
): Worker<Context> => ({
  start(context) {
    const loop = new BackgroundLoop(context, {
      name: task.name,
      run: () => task.run(context),
      failure: 'A periodic task failed and will be run again.',
      ...('intervalMs' in task && { everyMs: task.intervalMs }),
    });
    const unwatch =
      'nextDue' in task ? context.dueWork.watch(task.nextDue, () => loop.wake()) : undefined;
    loop.start();
    return {
      stop() {
        unwatch?.();
        return loop.stop();
      },
    };
  },
});
