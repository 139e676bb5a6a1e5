import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** The request to the receiving process: report when this many have arrived. */
export interface ReceiverOrder {
  count: number;
}

export interface ReceiverReport {
  /** Epoch milliseconds. */
  arrivals: Array<[n: number, at: number]>;
}

/** A separate process receives webhooks, so that it does not use the event loop of another. */
export class ReceiverProcess {
  readonly #child: ChildProcess;
  readonly url: string;

  static async start(): Promise<ReceiverProcess> {
    const child = fork(path.join(import.meta.dirname, 'receiver-process.ts'));
    const [port] = (await once(child, 'message')) as [number];
    return new ReceiverProcess(child, `http://127.0.0.1:${port}`);
  }

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** Starts counting, and waits until this many have arrived. */
  async receive(count: number): Promise<ReceiverReport> {
    this.#child.send({ count } satisfies ReceiverOrder);
    const [report] = (await once(this.#child, 'message')) as [ReceiverReport];
    return report;
  }

  stop(): void {
    this.#child.disconnect();
  }
}

/** The rate per second between the first and the last arrival. */
export function ratePerSecond({ arrivals }: ReceiverReport): number {
  const times = arrivals.map(([, at]) => at);
  const first = times[0] ?? 0;
  return ((times.length - 1) * 1000) / ((times.at(-1) ?? 0) - first);
}
