import { comparisons } from '../benchmarks/comparisons.ts';
import { percentile } from './benchmark.ts';
import { carryOutOrders } from './child.ts';
import { HttpConnection } from './http-connection.ts';

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

carryOutOrders(carryOut);
