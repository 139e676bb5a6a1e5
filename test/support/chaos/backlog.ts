import type { Cluster } from './cluster.ts';

interface Waiting {
  editors: number;
  calls: number;
  deliveries: number;
}

/** The work that waits in the database, by queue: as metrics of the processes report it, and in other tables. */
export async function readBacklog({ nodes, database }: Cluster): Promise<Record<string, number>> {
  const [node] = nodes;
  const metrics = await (await fetch(`${node?.clients.url}/metrics`)).text();
  const queues = metrics.matchAll(/^backlog_waiting\{queue="(.+)"\} (.+)$/gm);
  const { rows } = await database.query<Waiting>(
    `SELECT (SELECT count(*) FROM crdt_documents WHERE event_due_at IS NOT NULL)::int AS editors,
            (SELECT count(*) FROM idempotency_keys WHERE sealed_answer IS NULL)::int AS calls,
            (SELECT count(*) FROM webhook_deliveries WHERE status <> 'delivered')::int
              AS deliveries`,
  );
  return {
    ...Object.fromEntries([...queues].map(([, queue, count]) => [queue, Number(count)])),
    ...rows[0],
  };
}
