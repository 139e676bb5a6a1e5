import { Client } from 'pg';
import { createTrpcClient, type TrpcClient } from '../../support/trpc-client.ts';
import { type Finding, type Measurement, median, percentile } from '../harness/benchmark.ts';
import { CREDENTIALS } from '../harness/credentials.ts';
import { type Postgres, withFilled } from '../harness/databases.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { startOurs } from '../harness/servers.ts';

const COMMENTS = 300;
const WARM_UP = 50;
/** Comments are spread over these annotations, so that none grows long. */
const ANNOTATIONS = 100;
const TARGET_MS = 30;

const place = { organizationId: 'acme', documentId: 'plan' };

/** Measures from the request that adds a comment to its arrival at a subscriber in one process. */
const commentsLive: Measurement = {
  name: 'comments-live',
  measure: (postgres: Postgres) =>
    withFilled(
      postgres,
      async () => undefined,
      async (url) => {
        const bare = await measureNotify(url);
        const server = await startOurs(url);
        try {
          return findings(await measureOurs(server.url), bare);
        } finally {
          await server.stop();
        }
      },
    ),
};

function findings(ours: number[], bare: number[]): Finding[] {
  const ms = (values: number[]) =>
    `p50 ${median(values).toFixed(1)} ms, p99 ${percentile(values, 0.99).toFixed(1)} ms`;
  return [
    { label: 'comments/add to subscriber', value: ms(ours) },
    { label: 'bare INSERT and NOTIFY', value: ms(bare) },
    {
      label: 'median',
      value: `${median(ours).toFixed(1)} ms, ${(median(ours) / median(bare)).toFixed(1)} times the bare loop`,
      target: `< ${TARGET_MS} ms`,
      met: median(ours) < TARGET_MS,
    },
  ];
}

async function measureOurs(url: string): Promise<number[]> {
  const connection = await HttpConnection.open(url);
  await prepare(connection);
  const client = createTrpcClient({ url, headers: CREDENTIALS });
  const arrivals = new Map<string, (at: number) => void>();
  const subscription = await follow(client, (text) => arrivals.get(text)?.(performance.now()));
  const latencies: number[] = [];
  for (let n = 0; n < COMMENTS + WARM_UP; n++) {
    const text = `comment ${n}`;
    const arrived = new Promise<number>((resolve) => arrivals.set(text, resolve));
    const startedAt = performance.now();
    await connection.post(addComment(n % ANNOTATIONS, text));
    latencies.push((await arrived) - startedAt);
  }
  subscription.unsubscribe();
  connection.close();
  return latencies.slice(WARM_UP);
}

async function prepare(connection: HttpConnection): Promise<void> {
  const from = { userId: 'ada' };
  const { status, body } = await connection.post({
    path: '/v2/commentannotations/add',
    data: {
      ...place,
      createOrganization: true,
      createDocument: true,
      commentAnnotations: Array.from({ length: ANNOTATIONS }, (_, n) => ({
        annotationId: `annotation-${n}`,
        commentData: [{ commentText: 'first', from }],
      })),
    },
  });
  if (status !== 200) throw new Error(body);
}

const addComment = (annotation: number, commentText: string) => ({
  path: '/v2/commentannotations/comments/add',
  data: {
    ...place,
    annotationId: `annotation-${annotation}`,
    commentData: [{ commentText, from: { userId: 'ada' } }],
  },
});

async function follow(client: TrpcClient, onComment: (text: string) => void) {
  const started = Promise.withResolvers<void>();
  const subscription = client.comments.changes.subscribe(place, {
    onStarted: () => started.resolve(),
    onError: started.reject,
    onData: ({ data }) => {
      if (data.type === 'comment.add') onComment(data.data.comments.at(-1)?.commentText ?? '');
    },
  });
  await started.promise;
  return subscription;
}

/** The minimum of any path through the database: one row and its notification. */
async function measureNotify(url: string): Promise<number[]> {
  const [writer, listener] = [1, 2].map(() => new Client({ connectionString: url }));
  if (!writer || !listener) throw new Error('There are two.');
  await Promise.all([writer.connect(), listener.connect()]);
  await writer.query('CREATE TABLE bare (id serial PRIMARY KEY, text text)');
  await listener.query('LISTEN bare');
  const latencies: number[] = [];
  for (let n = 0; n < COMMENTS + WARM_UP; n++) {
    const arrived = new Promise<number>((resolve) =>
      listener.once('notification', () => resolve(performance.now())),
    );
    const startedAt = performance.now();
    await writer.query(
      "WITH added AS (INSERT INTO bare (text) VALUES ('x')) SELECT pg_notify('bare', '')",
    );
    latencies.push((await arrived) - startedAt);
  }
  await writer.query('DROP TABLE bare');
  await Promise.all([writer.end(), listener.end()]);
  return latencies.slice(WARM_UP);
}

export default commentsLive;
