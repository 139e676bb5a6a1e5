import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { seededRandom } from '../support/chaos/random.ts';
import { eventually } from '../support/eventually.ts';
import { type ServerProcess, serverProcess } from '../support/processes.ts';
import { createDatabase, post } from '../support/server.ts';

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');
const FREEZES = 12;
/** The longest delay for others. The server ends a frozen transaction after 2 s, and any after 30 s. */
const LONGEST_MS = 15_000;

let one: ServerProcess;
let two: ServerProcess;
let headers: Record<string, string>;
beforeAll(async () => {
  const shared = {
    SECRET_KEY,
    DATABASE_URL: await createDatabase(),
    REDIS_URL: inject('redisUrl') ?? '',
  };
  one = await serverProcess(shared);
  two = await serverProcess(shared);
  await one.start();
  await two.start();
  headers = await one.keyHeaders();
}, 90_000);

afterEach(() => one.resume());

let count = 0;
async function addOrganization({ url }: ServerProcess): Promise<string> {
  const organizationId = `organization-${++count}`;
  const organizations = [{ organizationId, organizationName: organizationId }];
  const answer = await post(`${url}/v2/organizations/add`, { data: { organizations } }, headers);
  expect(answer.status).toBe(200);
  return organizationId;
}

/** The organizations whose events came after the cursor. */
async function eventsAfter(after: string | undefined) {
  const body = { data: { ...(after !== undefined && { after }), types: ['organization.add'] } };
  const answer = await post(`${two.url}/v2/events/get`, body, headers);
  const { events, cursor } = answer.body.result.data;
  const names: string[] = events.map((event: { data: { organizationId: string } }) => {
    return event.data.organizationId;
  });
  return { names, cursor: cursor as string };
}

describe('a process that freezes during its work', () => {
  it('does not delay the events of others for long, and repeats none when it continues', async () => {
    const random = seededRandom(7);
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let freeze = 0; freeze < FREEZES; freeze++) {
      const writing = Array.from({ length: 20 }, () => addOrganization(one));
      await sleep(random.between(1, 40));
      one.freeze();
      const name = await addOrganization(two);
      const startedAt = performance.now();
      await eventually(async () => {
        const page = await eventsAfter(cursor);
        cursor = page.cursor;
        seen.push(...page.names);
        expect(seen).toContain(name);
      }, 60_000);
      expect(performance.now() - startedAt).toBeLessThan(LONGEST_MS);
      one.resume();
      await Promise.all(writing);
    }
    seen.push(...(await eventsAfter(cursor)).names);
    const added = seen.filter((name) => name.startsWith('organization-'));
    expect(added).toHaveLength(count);
    expect(new Set(added).size).toBe(count);
  }, 120_000);
});
