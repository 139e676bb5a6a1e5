import assert from 'node:assert';
import { seedAnnotations } from '../harness/annotations.ts';
import { type Finding, type Measurement, median } from '../harness/benchmark.ts';
import { type Postgres, withFilled } from '../harness/databases.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { type Server, startOurs } from '../harness/servers.ts';

const FEW = 10_000;
const MANY = 1_000_000;
const PAGE_SIZE = 50;
const PAIRS = 40;
const WARM_UP = 30;
const MOST = 1.3;

/** Each filter alone. Times are in the middle of the stored range. */
const filtersOf = (count: number): Record<string, object> => ({
  'no filter': {},
  documentId: { documentId: 'document-7' },
  documentIds: { documentIds: ['document-7', 'document-8', 'document-9'] },
  folderId: { folderId: 'folder-3' },
  locationIds: { locationIds: ['location-3'] },
  userIds: { userIds: ['user-3'] },
  mentionedUserIds: { mentionedUserIds: ['user-3'] },
  statusIds: { statusIds: ['RESOLVED'] },
  resolvedBy: { resolvedBy: 'user-3' },
  agentId: { agentId: 'agent-3' },
  executionId: { executionId: 'execution-3' },
  agentType: { agentType: 'custom' },
  agentSource: { agentSource: 'internal' },
  agentComments: { agentComments: true },
  updatedAfter: { updatedAfter: count * 500 },
  updatedBefore: { updatedBefore: count * 500 },
  createdAfter: { createdAfter: count * 500 },
  createdBefore: { createdBefore: count * 500 },
});

/** The cost of a page with a million annotations in the key, compared with a few. */
const annotationsPage: Measurement = {
  name: 'annotations-page',
  measure: (postgres) =>
    withServer(postgres, FEW, (few) =>
      withServer(postgres, MANY, async (many) => {
        // The connection is opened now, because the server would close an idle one while the other
        // is filled.
        const connections = [
          await HttpConnection.open(few),
          await HttpConnection.open(many),
        ] as const;
        const findings: Finding[] = [];
        for (const filter of Object.keys(filtersOf(FEW))) {
          findings.push(await compare(filter, ...connections));
        }
        for (const connection of connections) connection.close();
        return findings;
      }),
    ),
};

function withServer<Result>(
  postgres: Postgres,
  count: number,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const prepare = (database: Parameters<typeof seedAnnotations>[0]) =>
    seedAnnotations(database, count);
  return withFilled(postgres, prepare, async (url) => {
    const server: Server = await startOurs(url);
    try {
      return await work(server.url);
    } finally {
      await server.stop();
    }
  });
}

async function compare(
  filter: string,
  few: HttpConnection,
  many: HttpConnection,
): Promise<Finding> {
  const fewMs: number[] = [];
  const manyMs: number[] = [];
  for (let pair = 0; pair < WARM_UP + PAIRS; pair++) {
    fewMs.push(await timePage(few, filtersOf(FEW)[filter]));
    manyMs.push(await timePage(many, filtersOf(MANY)[filter]));
  }
  const [small, large] = [median(fewMs.slice(WARM_UP)), median(manyMs.slice(WARM_UP))];
  return {
    label: filter,
    value: `${(large / small).toFixed(2)} (${small.toFixed(1)} ms, ${large.toFixed(1)} ms)`,
    target: `<= ${MOST}`,
    met: large / small <= MOST,
  };
}

async function timePage(connection: HttpConnection, filter: object = {}): Promise<number> {
  const startedAt = performance.now();
  const { status, body } = await connection.post({
    path: '/v2/commentannotations/get',
    data: { organizationId: 'acme', pageSize: PAGE_SIZE, ...filter },
  });
  const elapsedMs = performance.now() - startedAt;
  assert.strictEqual(status, 200, body);
  assert.strictEqual(JSON.parse(body).result.data.length, PAGE_SIZE);
  return elapsedMs;
}

export default annotationsPage;
