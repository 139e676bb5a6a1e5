import assert from 'node:assert';
import { Client } from 'pg';
import { termKey } from '../../../src/features/memory/text/term-keys.ts';
import { termsOf } from '../../../src/features/memory/text/terms.ts';
import { type Finding, type Measurement, median, percentile } from '../harness/benchmark.ts';
import { TENANT } from '../harness/credentials.ts';
import { withFilled } from '../harness/databases.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { startOurs } from '../harness/servers.ts';
import { queryOf } from '../memory/bulk-judgments.ts';
import { fillJudgments } from '../memory/fill-judgments.ts';
import { Random } from '../memory/random.ts';

const JUDGMENTS = Number(process.env.BENCH_JUDGMENTS ?? 1_000_000);
const CALLS = 200;
const MAX_MEDIAN_MS = 60;
const MOST_P99_MS = 250;

/** Measures suggestions among a million judgments of one key, compared with a bare query. */
const memorySpeed: Measurement = {
  name: 'memory-speed',
  measure: (postgres) =>
    withFilled(
      postgres,
      (database) => fillJudgments(database, JUDGMENTS),
      async (url) => {
        const server = await startOurs(url);
        const connection = await HttpConnection.open(server.url);
        const bare = new Client({ connectionString: url });
        await bare.connect();
        try {
          return await compare(connection, bare);
        } finally {
          connection.close();
          await bare.end();
          await server.stop();
        }
      },
    ),
};

async function compare(connection: HttpConnection, bare: Client): Promise<Finding[]> {
  const random = new Random(2);
  const questions = Array.from({ length: CALLS }, (_, n) => queryOf(random, n));
  const suggestMs: number[] = [];
  const bareMs: number[] = [];
  let answered = 0;
  for (const data of questions) {
    const startedAt = performance.now();
    const { status, body } = await connection.post({ path: '/v2/memory/suggest', data });
    suggestMs.push(performance.now() - startedAt);
    assert.strictEqual(status, 200, body);
    if (JSON.parse(body).result.primary) answered += 1;
    bareMs.push(await timeBare(bare, data.query));
  }
  const ratio = median(suggestMs) / median(bareMs);
  return [
    { label: 'judgments', value: `${JUDGMENTS}; ${answered} of ${CALLS} questions answered` },
    {
      ...milliseconds('suggest', suggestMs),
      target: `< ${MAX_MEDIAN_MS} ms in the median, < ${MOST_P99_MS} ms for 99 of 100`,
      met: median(suggestMs) < MAX_MEDIAN_MS && percentile(suggestMs, 0.99) < MOST_P99_MS,
    },
    milliseconds('bare indexed query', bareMs),
    { label: 'ratio of the medians', value: ratio.toFixed(2) },
  ];
}

/** A plain search by index: any common word, the 30 items with most of them. */
async function timeBare(bare: Client, query: string): Promise<number> {
  const keys = [...termsOf(query).keys()].map((term) => termKey(TENANT, null, term));
  const startedAt = performance.now();
  await bare.query({
    name: 'bare',
    text: `SELECT record_id, query, side FROM memory_judgments
           WHERE tenant_id = $1 AND terms @@ $2::tsquery
           ORDER BY ts_rank(terms, $2::tsquery) DESC
           LIMIT 30`,
    values: [TENANT, keys.map((key) => `'${key}'`).join(' | ')],
  });
  return performance.now() - startedAt;
}

const milliseconds = (label: string, values: number[]): Finding => ({
  label,
  value: `${median(values).toFixed(1)} ms, p99 ${percentile(values, 0.99).toFixed(1)} ms, at most ${Math.max(...values).toFixed(1)} ms`,
});

export default memorySpeed;
