import assert from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, Pool } from 'pg';
import { insertComment } from '../baseline/add-comment.ts';
import { type Finding, type Measurement, median } from '../harness/benchmark.ts';
import { TENANT } from '../harness/credentials.ts';
import { withTwins } from '../harness/databases.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { cpuMsOf } from '../harness/process-facts.ts';
import { startOurs } from '../harness/servers.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const COMMENTS = 1_000;
const CONNECTIONS = 16;
const ANNOTATIONS = 500;
const MIN_PER_SECOND = 500;
const MIN_RATIO = 0.3;

const SUBSCRIBERS = Array.from({ length: 20 }, (_, n) => `user-${n}`);

/**
 * Adds comments to threads with 20 subscribers, each in its own call. Measures from the first call
 * until the last of the 20 has every notification in the inbox. The baseline writes the same
 * comment, notification and inboxes in one bare statement, over as many connections as our server
 * has.
 */
const commentsNotify: Measurement = {
  name: 'comments-notify',
  measure: (postgres) =>
    withTwins(postgres, prepare, async (oursUrl, bareUrl) => {
      const server = await startOurs(oursUrl);
      const opening = Array.from({ length: CONNECTIONS }, () => HttpConnection.open(server.url));
      const connections = await Promise.all(opening);
      const ours = new Pool({ connectionString: oursUrl, max: 1 });
      const bare = new Pool({ connectionString: bareUrl, max: 10 });
      try {
        return await alternate({ connections, pid: server.pid }, ours, bare);
      } finally {
        for (const connection of connections) connection.close();
        await Promise.all([ours.end(), bare.end()]);
        await server.stop();
      }
    }),
};

async function prepare(database: Client): Promise<void> {
  const run = (text: string, ...values: unknown[]) => database.query(text, [TENANT, ...values]);
  await run(`INSERT INTO organizations (tenant_id, organization_id) VALUES ($1, 'acme')`);
  await run(
    `INSERT INTO documents (tenant_id, organization_id, document_id, document_name)
     VALUES ($1, 'acme', 'document', 'document')`,
  );
  await run(
    `INSERT INTO service_settings (tenant_id, use_notification_service, notification_triggers)
     VALUES ($1, TRUE, '{"comment":{"added":true}}')`,
  );
  await run(`INSERT INTO users (tenant_id, user_id) SELECT $1, unnest($2::text[])`, SUBSCRIBERS);
  await run(
    `INSERT INTO comment_annotations (tenant_id, organization_id, document_id, annotation_id,
       annotation_number, type, author_id, from_user, status_id, status, visibility, created_at,
       last_updated, last_comment_at, last_comment_by)
     SELECT $1, 'acme', 'document', 'a-' || n, n + 1, 'comment', 'author', '{"userId":"author"}',
       'OPEN', '{"id":"OPEN","type":"default"}', '{"type":"public"}', n, n, n, 'author'
     FROM generate_series(0, $2::int - 1) AS n`,
    ANNOTATIONS,
  );
  await run(
    `INSERT INTO annotation_users (tenant_id, annotation_id, user_id, organization_id, "user",
       subscription, last_updated)
     SELECT $1, 'a-' || n, user_id, 'acme', jsonb_build_object('userId', user_id), 'auto', n
     FROM generate_series(0, $2::int - 1) AS n, unnest($3::text[]) AS user_id`,
    ANNOTATIONS,
    SUBSCRIBERS,
  );
}

interface Round {
  answered: number;
  notified: number;
  bare: number;
  /** Processor time of our server for one comment, which is more reliable when other work runs. */
  cpuMs: number;
}

/** The first round is a warm-up and is not counted. */
async function alternate(
  { connections, pid }: { connections: HttpConnection[]; pid: number },
  ours: Pool,
  bare: Pool,
): Promise<Finding[]> {
  const rounds: Round[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const first = round * COMMENTS;
    const cpuBefore = await cpuMsOf(pid);
    const startedAt = performance.now();
    await spread(connections, first, addComment);
    const answered = perSecond(startedAt);
    await untilNotified(ours, first + COMMENTS);
    const notified = perSecond(startedAt);
    const cpuMs = ((await cpuMsOf(pid)) - cpuBefore) / COMMENTS;
    const bareAt = performance.now();
    await spread(Array.from({ length: 10 }), first, (_, n) => writeBare(bare, n));
    rounds.push({ answered, notified, cpuMs, bare: perSecond(bareAt) });
  }
  return report(rounds.slice(1));
}

const perSecond = (startedAt: number) => (COMMENTS * 1000) / (performance.now() - startedAt);

/** Each worker takes the next comment after finishing one. */
async function spread<Worker>(
  workers: Worker[],
  first: number,
  work: (worker: Worker, n: number) => Promise<void>,
): Promise<void> {
  let next = first;
  const end = first + COMMENTS;
  await Promise.all(
    workers.map(async (worker) => {
      while (next < end) await work(worker, next++);
    }),
  );
}

const annotationOf = (n: number) => `a-${n % ANNOTATIONS}`;

async function addComment(connection: HttpConnection, n: number): Promise<void> {
  const { status, body } = await connection.post({
    path: '/v2/commentannotations/comments/add',
    data: {
      organizationId: 'acme',
      documentId: 'document',
      annotationId: annotationOf(n),
      commentData: [
        { commentText: `Comment ${n}`, from: { userId: 'author' }, triggerNotification: true },
      ],
    },
  });
  assert.strictEqual(status, 200, body);
}

const writeBare = (bare: Pool, n: number) =>
  insertComment(bare, TENANT, {
    annotationId: annotationOf(n),
    number: n + 1,
    userIds: SUBSCRIBERS,
  });

async function untilNotified(ours: Pool, comments: number): Promise<void> {
  for (;;) {
    const { rows } = await ours.query(
      `SELECT count(*)::int AS inboxes FROM notification_recipients WHERE tenant_id = $1`,
      [TENANT],
    );
    if (rows[0].inboxes === comments * SUBSCRIBERS.length) return;
    await sleep(20);
  }
}

function report(rounds: Round[]): Finding[] {
  const notified = rounds.map((round) => round.notified);
  const ratios = rounds.map((round) => round.notified / round.bare);
  const met = median(ratios) >= MIN_RATIO || median(notified) >= MIN_PER_SECOND;
  const value = (of: (round: Round) => number) => `${spreadOf(rounds.map(of), 0)} comments/s`;
  return [
    { label: 'answered', value: value((round) => round.answered) },
    { label: 'until all are notified', value: value((round) => round.notified) },
    {
      label: 'CPU of our server',
      value: `${spreadOf(
        rounds.map(({ cpuMs }) => cpuMs),
        2,
      )} ms a comment`,
    },
    { label: 'bare inserts', value: value((round) => round.bare) },
    {
      label: 'ratio',
      value: spreadOf(ratios, 2),
      target: `>= ${MIN_RATIO}, or ${MIN_PER_SECOND} comments/s`,
      met,
    },
  ];
}

const spreadOf = (values: number[], digits: number) =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;

export default commentsNotify;
