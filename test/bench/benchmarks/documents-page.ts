import assert from 'node:assert';
import type { Client } from 'pg';
import { type Finding, type Measurement, median } from '../harness/benchmark.ts';
import { TENANT } from '../harness/credentials.ts';
import { withFilled } from '../harness/databases.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { startOurs } from '../harness/servers.ts';

const PAGE_SIZE = 1_000;
const LATE_PAGE = 1_000;
/** One more than a million, so that the thousandth page also has a next one. */
const DOCUMENTS = LATE_PAGE * PAGE_SIZE + 1;
const PAIRS = 60;
const MOST = 1.3;

/** Compares a distant page with the first one. Walks to it, and then times both alternately. */
const documentsPage: Measurement = {
  name: 'documents-page',
  measure: (postgres) =>
    withFilled(postgres, prepare, async (url) => {
      const server = await startOurs(url);
      const connection = await HttpConnection.open(server.url);
      try {
        return await compare(connection, await tokenOf(connection, LATE_PAGE));
      } finally {
        connection.close();
        await server.stop();
      }
    }),
};

async function prepare(database: Client): Promise<void> {
  await database.query(
    `INSERT INTO organizations (tenant_id, organization_id) VALUES ($1, 'acme')`,
    [TENANT],
  );
  await database.query(
    `INSERT INTO documents (tenant_id, organization_id, document_id, document_name, metadata)
     SELECT $1, 'acme', 'document-' || n, 'Document ' || n, jsonb_build_object('number', n)
     FROM generate_series(0, $2::int - 1) AS n`,
    [TENANT, DOCUMENTS],
  );
}

interface Page {
  data: object[];
  pageToken: string;
  elapsedMs: number;
}

async function getPage(connection: HttpConnection, pageToken?: string): Promise<Page> {
  const startedAt = performance.now();
  const { status, body } = await connection.post({
    path: '/v2/organizations/documents/get',
    data: { organizationId: 'acme', pageSize: PAGE_SIZE, pageToken },
  });
  const elapsedMs = performance.now() - startedAt;
  assert.strictEqual(status, 200, body);
  const { result }: { result: Omit<Page, 'elapsedMs'> } = JSON.parse(body);
  assert.strictEqual(result.data.length, PAGE_SIZE);
  return { ...result, elapsedMs };
}

/** The token of this page, as a caller gets it by paging. */
async function tokenOf(connection: HttpConnection, page: number): Promise<string> {
  let { pageToken } = await getPage(connection);
  for (let next = 2; next < page; next++) {
    ({ pageToken } = await getPage(connection, pageToken));
  }
  return pageToken;
}

async function compare(connection: HttpConnection, lateToken: string): Promise<Finding[]> {
  const firstMs: number[] = [];
  const lateMs: number[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    firstMs.push((await getPage(connection)).elapsedMs);
    lateMs.push((await getPage(connection, lateToken)).elapsedMs);
  }
  const ratio = median(lateMs) / median(firstMs);
  return [
    milliseconds('first page', firstMs),
    milliseconds('thousandth page', lateMs),
    {
      label: 'ratio of the medians',
      value: ratio.toFixed(2),
      target: `<= ${MOST}`,
      met: ratio <= MOST,
    },
  ];
}

const milliseconds = (label: string, values: number[]): Finding => ({
  label,
  value: `${median(values).toFixed(1)} ms (${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)})`,
});

export default documentsPage;
