import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** The request to the load process: call one server as fast as it answers. */
export interface LoadOrder {
  benchmark: string;
  url: string;
  /** The number of the first call. */
  first: number;
  connections: number;
  seconds: number;
}

export interface LoadReport {
  requests: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** A separate process sends the load, so that it does not use the event loop of another. */
export class LoadProcess {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(path.join(import.meta.dirname, 'load-process.ts'));
  }

  async run(order: LoadOrder): Promise<LoadReport> {
    this.#child.send(order);
    const [report] = (await once(this.#child, 'message')) as [LoadReport | { failure: string }];
    if ('failure' in report) throw new Error(report.failure);
    return report;
  }

  stop(): void {
    this.#child.disconnect();
  }
}
