import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** What the receiving process is asked for: to tell when so many have arrived. */
export interface ReceiverOrder {
  count: number;
}

export interface ReceiverReport {
  /** Epoch milliseconds. */
  arrivals: Array<[n: number, at: number]>;
}

/** A process that receives webhooks, so that its work is nobody's event loop but its own. */
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

  /** Begins to count, and waits until so many have arrived. */
  async receive(count: number): Promise<ReceiverReport> {
    this.#child.send({ count } satisfies ReceiverOrder);
    const [report] = (await once(this.#child, 'message')) as [ReceiverReport];
    return report;
  }

  stop(): void {
    this.#child.disconnect();
  }
}

/** How many a second, between the first that arrived and the last. */
export function ratePerSecond({ arrivals }: ReceiverReport): number {
  const times = arrivals.map(([, at]) => at);
  const first = times[0] ?? 0;
  return ((times.length - 1) * 1000) / ((times.at(-1) ?? 0) - first);
}
