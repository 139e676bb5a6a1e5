import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { whenFileEnds } from '../../support/when-file-ends.ts';

/** A process until the end of the benchmark, which does not use the event loop of another. */
export class Child<Order extends object, Report> {
  readonly #process: ChildProcess;

  /** @param file the script, below test/bench */
  constructor(file: string) {
    this.#process = fork(path.join(import.meta.dirname, '..', file));
    whenFileEnds(() => this.#process.disconnect());
  }

  /** Sends an order, and waits for the report about it. */
  carryOut(order: Order): Promise<Report> {
    this.#process.send(order);
    return this.message();
  }

  /** The next message of the process. */
  async message<Message = Report>(): Promise<Message> {
    const [message] = (await once(this.#process, 'message')) as [Message | { failure: string }];
    const { failure } = Object(message) as { failure?: string };
    if (failure !== undefined) throw new Error(failure);
    return message as Message;
  }
}

/** Lets this process carry out the orders of the one that started it. A failure is reported as such. */
export function carryOutOrders<Order>(work: (order: Order) => Promise<object>): void {
  process.on('message', (order: Order) => {
    work(order).then(
      (report) => process.send?.(report),
      (error: unknown) => process.send?.({ failure: String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
}
