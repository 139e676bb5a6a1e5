import assert from 'node:assert';
import type { Client } from 'pg';
import type { Call, Growth } from '../harness/benchmark.ts';
import { CREDENTIALS } from '../harness/credentials.ts';
import { type Postgres, withFilled } from '../harness/databases.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { startOurs } from '../harness/servers.ts';
import { type Point, timeByTurns } from './by-turns.ts';
import { sizesBetween } from './sizes.ts';

/** Answers about equal work differ by the digits of ids, and not by more than this factor. */
const MAX_DIFFERENCE = 1.5;

interface CallWithHeaders extends Call {
  headers?: Record<string, string>;
}

/** The calls of each table, by the labels of their lines; a function makes the nth one. */
export type Tables = Record<
  string,
  Record<string, CallWithHeaders | ((n: number) => CallWithHeaders)>
>;

/** One call for each label: to the same path, with the same data and one filter. */
export const filtered = (path: string, data: object, filters: Record<string, object>) =>
  Object.fromEntries(
    Object.entries(filters).map(([label, filter]) => [
      label,
      { path, data: { ...data, ...filter } },
    ]),
  );

interface Lists {
  name: string;
  sizeOf: string;
  reasons?: Record<string, string>;
  smallest?: number;
  largest?: number;
  /** Whether larger sizes have more to answer, such as more similar judgments. */
  answersGrow?: boolean;
  fill(database: Client, count: number): Promise<void>;
  /** The calls in a database with this many rows. All sizes have the same lines. */
  tables(count: number): Tables;
}

/** Lists of 1,000 to 1,000,000 rows, read by one caller. */
export function growthOfLists({
  tables,
  fill,
  smallest,
  largest,
  answersGrow,
  ...rest
}: Lists): Growth {
  return {
    ...rest,
    sample: (postgres) => {
      const sizes = sizesBetween(smallest ?? 1_000, largest ?? 1_000_000);
      return withAllSizes(postgres, fill, sizes, [], (urls) =>
        withConnections(urls, async (connections) => {
          const points = connections.flatMap((connection, n) => {
            const size = sizes[n] ?? 0;
            return pointsOf(tables(size), size, connection);
          });
          const samples = await timeByTurns(points);
          if (!answersGrow) assertEqualWork(points);
          return samples;
        }),
      );
    },
  };
}

/** Fills a database of each size, and starts a server on each. */
function withAllSizes<Result>(
  postgres: Postgres,
  fill: Lists['fill'],
  [size, ...larger]: number[],
  urls: string[],
  work: (urls: string[]) => Promise<Result>,
): Promise<Result> {
  if (size === undefined) return work(urls);
  return withFilled(
    postgres,
    (database) => fill(database, size),
    async (url) => {
      const server = await startOurs(url);
      try {
        return await withAllSizes(postgres, fill, larger, [...urls, server.url], work);
      } finally {
        await server.stop();
      }
    },
  );
}

/** Connects to all servers once the last one is ready, since a server closes idle connections. */
async function withConnections<Result>(
  urls: string[],
  work: (connections: HttpConnection[]) => Promise<Result>,
): Promise<Result> {
  const connections = await Promise.all(urls.map((url) => HttpConnection.open(url, {})));
  try {
    return await work(connections);
  } finally {
    for (const connection of connections) connection.close();
  }
}

type CallPoint = Point & { bytes: number };

const pointsOf = (tables: Tables, size: number, connection: HttpConnection): CallPoint[] =>
  Object.entries(tables).flatMap(([table, lines]) =>
    Object.entries(lines).map(([line, given]) => ({
      table,
      line,
      size,
      bytes: 0,
      async run(n: number) {
        const call = typeof given === 'function' ? given(n) : given;
        const { status, body } = await connection.post(call, call.headers ?? CREDENTIALS);
        assert.strictEqual(status, 200, `${line}: ${body}`);
        this.bytes = body.length;
      },
    })),
  );

/** A line compares sizes only if its answers have the same number of items. */
function assertEqualWork(points: CallPoint[]): void {
  for (const [label, same] of Map.groupBy(points, ({ table, line }) => `${table}, ${line}`)) {
    const bytes = same.map((point) => point.bytes);
    const isEqual = Math.max(...bytes) <= MAX_DIFFERENCE * Math.min(...bytes);
    assert.ok(isEqual, `${label}: the answers have ${bytes.join(', ')} bytes.`);
  }
}
