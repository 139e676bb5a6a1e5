import { Child } from './child.ts';
import type { ReceiverReport } from './receiver-process.ts';

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Starts the process that receives webhooks. */
export async function startReceiver() {
  const child = new Child<{ count: number }, ReceiverReport>('harness/receiver-process.ts');
  return {
    url: `http://127.0.0.1:${await child.message<number>()}`,
    /** Starts counting, and waits until this many have arrived. */
    receive: (count: number) => child.carryOut({ count }),
  };
}

/** The rate per second between the first and the last arrival. */
export function ratePerSecond({ arrivals }: ReceiverReport): number {
  const times = arrivals.map(([, at]) => at);
  const first = times[0] ?? 0;
  return ((times.length - 1) * 1000) / ((times.at(-1) ?? 0) - first);
}
