import { comparisons } from '../benchmarks/comparisons.ts';
import { percentile } from './benchmark.ts';
import { HttpConnection } from './http-connection.ts';
import type { LoadOrder, LoadReport } from './load.ts';

async function carryOut(order: LoadOrder): Promise<LoadReport> {
  const { benchmark, url, first, seconds } = order;
  const comparison = comparisons.find(({ name }) => name === benchmark);
  if (!comparison) throw new Error(`No comparison ${benchmark}.`);
  const connections = await Promise.all(
    Array.from({ length: order.connections }, () => HttpConnection.open(url)),
  );
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  let next = first;
  const useUp = async (connection: HttpConnection) => {
    for (let before = performance.now(); before < endAt; ) {
      const { status, body } = await connection.post(comparison.request(next++));
      if (status !== 200) throw new Error(`${url} answered ${status}: ${body}`);
      const after = performance.now();
      latenciesMs.push(after - before);
      before = after;
    }
  };
  await Promise.all(connections.map(useUp));
  const elapsedMs = performance.now() - startedAt;
  for (const connection of connections) connection.close();
  return {
    requests: latenciesMs.length,
    perSecond: latenciesMs.length / (elapsedMs / 1000),
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  };
}

process.on('message', (order: LoadOrder) => {
  carryOut(order).then(
    (report) => process.send?.(report),
    (error: unknown) => process.send?.({ failure: String(error) }),
  );
});
