import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import { startEmbeddedPostgres } from '../../../src/platform/database/embedded-postgres.ts';
import type { Loose } from '../answers.ts';
import { createNetwork } from '../network.ts';
import { type ServerProcess, serverProcess } from '../processes.ts';
import { startRedis } from '../redis-server.ts';
import { type Answer, post } from '../server.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { whenFileEnds } from '../when-file-ends.ts';
import type { Random } from './random.ts';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A separate PostgreSQL. After a kill it starts again by itself, at its address. */
async function startPostgres() {
  const dataDir = await temporaryFolder('test-postgres-');
  const postgres = await startEmbeddedPostgres({ dataDir, log: quiet });
  whenFileEnds(() => postgres.stop());
  return {
    url: postgres.url,
    /** Kills it, unless it is starting. */
    async kill() {
      const client = new Client({ connectionString: postgres.url });
      client.on('error', () => undefined);
      try {
        await client.connect();
      } catch {
        return;
      }
      // The connection proves that the process in the file lives: its id belongs to nobody else.
      const file = path.join(dataDir, 'postgres', 'postmaster.pid');
      const [pid] = (await readFile(file, 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGKILL');
      await client.end();
    },
  };
}

const PROCESSES = 3;
/** How long a client waits for an answer before it repeats the call. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 50;
/** How long a call or a start is repeated. The monkey repairs what it breaks long before that. */
const DEADLINE_MS = 120_000;
/** The failures after which a caller repeats the call. */
const TEMPORARY = ['UNAVAILABLE', 'ABORTED', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED'];

export type Node = Awaited<ReturnType<typeof makeNode>>;
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

interface CallOptions {
  /** The process; by default any that runs. */
  node?: Node;
  idempotencyKey?: string;
}

/** Several processes behind a load balancer, with their own PostgreSQL and Redis. */
export async function startCluster(random: Random) {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  /** Direct access to the database. */
  const database = new Pool({ connectionString: postgres.url, max: 2 });
  database.on('error', () => undefined);
  whenFileEnds(() => database.end());
  const nodes = await Promise.all(
    Array.from({ length: PROCESSES }, () => makeNode(postgres.url, redis.url)),
  );
  const [first, ...others] = nodes;
  if (!first) throw new Error('There are processes.');
  // The first process creates the credentials.
  await startWhenPossible(first.server);
  await Promise.all(others.map(({ server }) => startWhenPossible(server)));
  const headers = await first.server.keyHeaders();
  const anyNode = () => {
    const running = nodes.filter(({ server }) => server.isRunning);
    return random.pick(running.length > 0 ? running : nodes);
  };
  /** Calls an operation. Resolves to undefined when no answer comes. */
  const call = async (
    path: string,
    data: object,
    { node = anyNode(), idempotencyKey }: CallOptions = {},
  ): Promise<Answer | undefined> => {
    const own = { ...headers, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) };
    try {
      return await post(node.clients.url + path, { data }, own, AbortSignal.timeout(PATIENCE_MS));
    } catch (error) {
      const { name } = error as Error;
      // Fetch reports lost connections as a TypeError.
      if (name === 'TypeError' || name === 'TimeoutError') return undefined;
      throw error;
    }
  };
  /** Repeats a call with its key until it is acknowledged. Returns its `result`. */
  const acknowledged = async (
    path: string,
    data: object,
    idempotencyKey?: string,
  ): Promise<Loose> => {
    const deadline = Date.now() + DEADLINE_MS;
    for (;;) {
      const answer = await call(path, data, { ...(idempotencyKey && { idempotencyKey }) });
      if (answer?.status === 200) return answer.body.result;
      const isTemporary = !answer || TEMPORARY.includes(answer.body?.error?.status);
      if (!isTemporary || Date.now() > deadline) {
        throw new Error(`${path} ${idempotencyKey}: ${JSON.stringify(answer?.body)}`);
      }
      await sleep(PAUSE_MS);
    }
  };
  return {
    nodes,
    postgres,
    redis,
    database,
    /** Leads each connection to any running process. */
    balancer: await createNetwork(() => anyNode().clients.url),
    call,
    acknowledged,
    /** Starts a process, repeatedly while what it needs is away. */
    start: ({ server }: Node) => startWhenPossible(server),
  };
}

/** A process with its own networks to its clients, to PostgreSQL and to Redis. */
async function makeNode(databaseUrl: string, redisUrl: string) {
  const database = await createNetwork(databaseUrl);
  const redis = await createNetwork(redisUrl);
  const server = await serverProcess({
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...(process.env.CHAOS_LOG && { LOG_LEVEL: process.env.CHAOS_LOG }),
  });
  return { server, clients: await createNetwork(server.url), database, redis };
}

/** A process that cannot start ends with a sentence about the reason, and is started again. */
async function startWhenPossible(server: ServerProcess): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  const complaints = server.complaints.length;
  for (;;) {
    try {
      return await server.start();
    } catch (error) {
      await server.kill();
      if (Date.now() > deadline) throw error;
      server.complaints.splice(complaints);
      await sleep(PAUSE_MS);
    }
  }
}

/** The place of all editors and comments. */
export const place = { organizationId: 'acme', documentId: 'plan' };

/** How users edit the document at that place. */
export interface Plan {
  url: string;
  /** The token of each user. */
  tokens: readonly string[];
}

export async function makePlan({ acknowledged, balancer }: Cluster): Promise<Plan> {
  const { organizationId, documentId } = place;
  const userIds = ['ada', 'bob'];
  const users = userIds.map((userId) => ({ userId, accessRole: 'editor' }));
  const documents = [{ documentId, accessType: 'restricted' }];
  await acknowledged('/v1/users/add', { organizationId, users });
  await acknowledged('/v2/organizations/documents/add', { organizationId, documents });
  await acknowledged('/v1/users/add', { ...place, users });
  const tokens: string[] = [];
  for (const userId of userIds) {
    const { data } = await acknowledged('/v2/auth/generate_token', { userId });
    tokens.push(data.token);
  }
  return { url: balancer.url, tokens };
}
