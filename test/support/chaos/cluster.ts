import { Client } from 'pg';
import { createNetwork, type Network } from '../network.ts';
import { type ServerProcess, serverProcess } from '../processes.ts';
import { type Answer, post } from '../server.ts';
import { storedEditor } from '../stored-editor.ts';
import { whenFileEnds } from '../when-file-ends.ts';
import type { Random } from './random.ts';

const PROCESSES = 3;
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');
const ORGANIZATION = 'acme';

/** A process with its own networks to the database and to Redis. */
export interface Node {
  server: ServerProcess;
  database: Network;
  redis: Network;
}

/** A writer's statement about a token: an editor contains it, or does not. */
export interface Claim {
  documentId: string;
  editorId: string;
  token: string;
  isThere: boolean;
}

/** Several processes on one PostgreSQL and Redis, behind a load balancer. */
export interface Cluster {
  nodes: Node[];
  /** The URL of any running process. */
  balancer: Network;
  token: string;
  documentId: string;
  call(url: string, path: string, data: object): Promise<Answer>;
  anyUrl(): string;
  /** Starts every process, and repairs every network. */
  repair(): Promise<void>;
  editors(claims: Claim[]): Array<{ documentId: string; editorId: string }>;
  /** The content of the database, merged by Yjs alone. */
  storedText(editorId: string): Promise<string>;
  /** The content that each process serves. */
  servedTexts(documentId: string, editorId: string): Promise<string[]>;
  complaints(): string[];
}

export async function startCluster(
  databaseUrl: string,
  redisUrl: string,
  random: Random,
): Promise<Cluster> {
  const nodes = await Promise.all(
    Array.from({ length: PROCESSES }, () => makeNode(databaseUrl, redisUrl)),
  );
  const [first, ...others] = nodes;
  if (!first) throw new Error('There are processes.');
  await first.server.start();
  const headers = await first.server.keyHeaders();
  await Promise.all(others.map(({ server }) => server.start()));
  const anyUrl = () => {
    const running = nodes.filter(({ server }) => server.isRunning);
    return random.pick(running.length > 0 ? running : nodes).server.url;
  };
  const call = (url: string, path: string, data: object) =>
    post(url + path, { data: { organizationId: ORGANIZATION, ...data } }, headers);
  const documentId = 'plan';
  const documents = [{ documentId, accessType: 'restricted' }];
  const users = [{ userId: 'ada', accessRole: 'editor' }];
  await call(first.server.url, '/v1/users/add', { users });
  await call(first.server.url, '/v2/organizations/documents/add', { documents });
  await call(first.server.url, '/v1/users/add', { documentId, users });
  const { body } = await call(first.server.url, '/v2/auth/generate_token', { userId: 'ada' });

  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  whenFileEnds(() => database.end());
  return {
    nodes,
    balancer: await createNetwork(anyUrl),
    token: body.result.data.token,
    documentId,
    call,
    anyUrl,
    async repair() {
      for (const node of nodes) {
        node.database.mend();
        node.redis.mend();
      }
      await Promise.all(nodes.map(({ server }) => (server.isRunning ? undefined : server.start())));
    },
    editors: (claims) => {
      const ids = new Set(claims.map((claim) => claim.editorId));
      return [...ids].map((editorId) => ({ documentId, editorId }));
    },
    storedText: (editorId) => readStored(database, editorId),
    servedTexts: (document, editorId) =>
      Promise.all(
        nodes.map(async ({ server }) => {
          const place = { documentId: document, editorId };
          const answer = await call(server.url, '/v2/crdt/get', place);
          return answer.body.result?.data[0]?.data ?? JSON.stringify(answer.body);
        }),
      ),
    complaints: () => nodes.flatMap(({ server }) => server.complaints),
  };
}

async function makeNode(databaseUrl: string, redisUrl: string): Promise<Node> {
  const [database, redis] = [await createNetwork(databaseUrl), await createNetwork(redisUrl)];
  const server = await serverProcess({
    SECRET_KEY,
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    ...(process.env.CHAOS_LOG && { LOG_LEVEL: process.env.CHAOS_LOG }),
  });
  return { server, database, redis };
}

async function readStored(database: Client, editorId: string): Promise<string> {
  const { doc } = await storedEditor(database, editorId);
  if (doc.store.pendingStructs) throw new Error(`${editorId} lacks what its updates build on.`);
  return doc.getText('content').toString();
}
