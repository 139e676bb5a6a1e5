import { Worker } from 'node:worker_threads';

/** How often the thread asked, and how long the slowest answer took. */
export interface Health {
  asked: number;
  slowestMs: number;
}

const ASK = `
const { parentPort, workerData } = require('node:worker_threads');
let isOver = false;
parentPort.once('message', () => { isOver = true; });
(async () => {
  let asked = 0;
  let slowestMs = 0;
  while (!isOver) {
    const startedAt = performance.now();
    await (await fetch(workerData)).text();
    slowestMs = Math.max(slowestMs, Math.round(performance.now() - startedAt));
    asked += 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  parentPort.postMessage({ asked, slowestMs });
})();
`;

/** Asks for a server's health continuously, from a separate thread that no test blocks. */
export function watchHealth(url: string): { stop(): Promise<Health> } {
  const worker = new Worker(ASK, { eval: true, workerData: `${url}/healthz` });
  return {
    stop: () =>
      new Promise((resolve, reject) => {
        worker.once('message', resolve).once('error', reject);
        worker.postMessage('stop');
      }),
  };
}
