import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type Random, seededRandom } from '../support/chaos/random.ts';
import { type ServerProcess, serverProcess } from '../support/processes.ts';
import { type Answer, createDatabase, post } from '../support/server.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);
const KILLS = Number(process.env.CHAOS_KILLS ?? 6);
const WRITERS = 3;
const RETRY_MS = 50;
const TERMINATE_EVERY_MS = 1_000;
/** Generous, for a busy machine. */
const LONGEST_CALL_MS = 10_000;

let processes: ServerProcess[];
let database: Client;
let headers: Record<string, string>;
beforeAll(async () => {
  const databaseUrl = await createDatabase();
  const shared = { SECRET_KEY, DATABASE_URL: databaseUrl, REDIS_URL: inject('redisUrl') ?? '' };
  const first = await serverProcess(shared);
  processes = [first, await serverProcess(shared)];
  for (const each of processes) await each.start();
  headers = await first.keyHeaders();
  database = new Client({ connectionString: databaseUrl });
  await database.connect();
  whenFileEnds(() => database.end());
}, 90_000);

interface Claim {
  key: string;
  annotationId: string;
}

let longestMs = 0;

/** The answer of any process, or undefined if it died meanwhile. */
async function attempt(random: Random, key: string): Promise<Answer | undefined> {
  const running = processes.filter(({ isRunning }) => isRunning);
  const { url } = random.pick(running.length > 0 ? running : processes);
  const from = { userId: 'ada' };
  const commentAnnotations = [{ commentData: [{ commentText: key, from }] }];
  const place = { organizationId: 'acme', documentId: 'plan' };
  const data = { ...place, createOrganization: true, createDocument: true, commentAnnotations };
  const startedAt = performance.now();
  try {
    const own = { ...headers, 'idempotency-key': key };
    return await post(`${url}/v2/commentannotations/add`, { data }, own);
  } catch {
    await sleep(RETRY_MS);
    return undefined;
  } finally {
    longestMs = Math.max(longestMs, performance.now() - startedAt);
  }
}

/** Sends each write until it is answered, and then once more. */
async function write(random: Random, key: string): Promise<Claim> {
  const answers: Answer[] = [];
  while (answers.length < 2) {
    const answer = await attempt(random, key);
    if (answer?.status === 200) answers.push(answer);
    else if (answer) {
      expect(answer.status).toBeGreaterThanOrEqual(429);
      await sleep(RETRY_MS);
    }
  }
  const [first, second] = answers;
  expect(second?.body).toEqual(first?.body);
  const [annotationId] = Object.keys(first?.body.result.data);
  return { key, annotationId: annotationId ?? '' };
}

async function trouble(random: Random): Promise<void> {
  let isStarting = false;
  const terminate = setInterval(() => {
    // A process whose start fails ends, and is restarted by the test.
    if (isStarting) return;
    database
      .query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'collaboration-backend'`,
      )
      .catch(() => undefined);
  }, TERMINATE_EVERY_MS);
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(random.between(1_500, 3_500));
      const victim = processes[kill % processes.length];
      await victim?.kill();
      isStarting = true;
      await victim?.start().catch((error: unknown) => {
        throw new Error(victim.complaints.join(''), { cause: error });
      });
      isStarting = false;
    }
  } finally {
    clearInterval(terminate);
  }
}

describe('writes with an Idempotency-Key', () => {
  it('are made once, whatever is killed or cut off, and are answered soon', async () => {
    console.log(`idempotency: CHAOS_SEED=${SEED}, ${KILLS} kills`);
    const claims: Claim[] = [];
    let isOver = false;
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      const random = seededRandom(SEED + writer);
      for (let n = 0; !isOver; n++) claims.push(await write(random, `${writer}-${n}`));
    });
    await trouble(seededRandom(SEED + WRITERS)).finally(() => {
      isOver = true;
    });
    await Promise.all(writers);
    console.log(
      `idempotency: ${claims.length} writes, the longest call ${Math.round(longestMs)} ms`,
    );
    const { rows } = await database.query<{ id: string; text: string }>(
      `SELECT annotation_id AS id, content->>'commentText' AS text
       FROM comments JOIN comment_annotations USING (tenant_id, annotation_id) /* all tenants */
       WHERE organization_id = 'acme'`,
    );
    const expected = claims.map(({ key, annotationId }) => `${key} ${annotationId}`).sort();
    expect(rows.map(({ id, text }) => `${text} ${id}`).sort()).toEqual(expected);
    expect(longestMs).toBeLessThan(LONGEST_CALL_MS);
  }, 300_000);
});
