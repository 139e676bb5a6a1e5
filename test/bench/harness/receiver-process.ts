import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceiverReport {
  /** Epoch milliseconds. */
  arrivals: Array<[n: number, at: number]>;
}

/**
 * Answers webhooks, and records the arrival of each event that has a number:
 * `"n": 17`, or a name like `"n-17"`.
 */

let expected = 0;
/** Arrivals by the event's number, so that repeats count once. */
let arrivals = new Map<number, number>();

const now = () => performance.timeOrigin + performance.now();

function report(): void {
  if (expected === 0 || arrivals.size < expected) return;
  expected = 0;
  process.send?.({ arrivals: [...arrivals] } satisfies ReceiverReport);
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const number = /"n(?:" ?: ?|-)(\d+)/.exec(Buffer.concat(chunks).toString('latin1'))?.[1];
    if (!arrivals.has(Number(number))) arrivals.set(Number(number), now());
    response.writeHead(200, { 'content-length': 0 }).end();
    report();
  });
});

process.on('message', (order: { count: number }) => {
  arrivals = new Map();
  expected = order.count;
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
