import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** What the load process is asked for: to call one server as fast as it answers. */
export interface LoadOrder {
  benchmark: string;
  url: string;
  /** The number of the first call. */
  first: number;
  seconds: number;
}

export interface LoadReport {
  requests: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** The process that sends the load, so that its work is nobody's event loop but its own. */
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
