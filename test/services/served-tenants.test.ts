import { Client } from 'pg';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { Database } from '../../src/platform/database/database.ts';
import { annotationsOf } from '../support/annotations.ts';
import { dataOf } from '../support/answers.ts';
import { connect, makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { createTenant, startTestServer, type TestServer } from '../support/server.ts';
import { watchStatements } from '../support/statements.ts';
import { subscribe } from '../support/subscriptions.ts';

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');
const place = { organizationId: 'acme', documentId: 'plan' };

describe.each([
  { title: 'with Redis', redis: true },
  { title: 'without Redis', redis: false },
])('three processes $title', ({ redis }) => {
  /** One takes calls, one serves subscriptions, and one editors. */
  let api: TestServer;
  let streams: TestServer;
  let realtime: TestServer;
  /** A key of which only the first process serves anything. */
  let other: Record<string, string>;
  /** The keys of the rows of events that the other processes have received. */
  const received = new Set<string>();
  beforeAll(async () => {
    const environment: Record<string, string> = {
      SECRET_KEY,
      ...(redis && { REDIS_URL: inject('redisUrl') ?? '' }),
    };
    api = await startTestServer({ ...environment, ROLES: 'api,worker' });
    environment.DATABASE_URL = api.databaseUrl;
    const watched = { onDatabase: (database: Database) => watchRows(database, received) };
    streams = await startTestServer({ ...environment, ROLES: 'api' }, watched);
    realtime = await startTestServer({ ...environment, ROLES: 'realtime' }, watched);
    await makePlan(api);
    other = await createTenant(api);
  });

  const setRole = async (userId: string, accessRole: string) =>
    dataOf(await api.call('/v1/users/add', { ...place, users: [{ userId, accessRole }] }));

  it('receive events of the keys that they serve, and of no others', async () => {
    const annotations = annotationsOf(api);
    const token = await userToken(api, 'ada', { accessRole: 'editor' });
    const editor = await openEditor({ url: realtime.url, name: 'acme/plan/body', token });
    const seen = await subscribe(streams.url, api.keyHeaders, 'comments', place);
    for (let n = 1; n <= 5; n++) {
      dataOf(await annotations.add(place, [{}], {}, other));
      dataOf(await annotations.add(place, [{}]));
      await eventually(() => expect(seen.items).toHaveLength(n));
      await setRole('ada', n % 2 === 1 ? 'viewer' : 'editor');
      const scope = n % 2 === 1 ? 'readonly' : 'read-write';
      await eventually(() => expect(editor.provider.authorizedScope).toBe(scope));
    }
    expect(received).toEqual(new Set([api.quickstart.apiKey]));
  });

  it('notice a change of access for a user who connects to one that served nobody', async () => {
    const token = await userToken(api, 'grace', { accessRole: 'editor' });
    const client = new Client({ connectionString: api.databaseUrl });
    await client.connect();
    await client.query('BEGIN');
    // The document loads after the access of its user.
    await client.query('LOCK TABLE crdt_documents IN ACCESS EXCLUSIVE MODE');
    const editor = connect({ url: realtime.url, name: 'acme/plan/late', token });
    await eventually(async () => {
      const { rows } = await client.query(
        `SELECT 1 FROM pg_locks WHERE relation = 'crdt_documents'::regclass AND NOT granted`,
      );
      expect(rows).not.toEqual([]);
    });
    await setRole('grace', 'viewer');
    await client.query('COMMIT');
    await client.end();
    await eventually(() => expect(editor.provider.synced).toBe(true));
    await eventually(() => expect(editor.provider.authorizedScope).toBe('readonly'));
  });
});

/** Notes the keys of the rows of events that a process reads. */
function watchRows({ pool }: Database, keys: Set<string>) {
  watchStatements(
    pool,
    () => undefined,
    (text, { rows }) => {
      if (!/FROM events/.test(text)) return;
      for (const { tenantId } of rows) if (tenantId) keys.add(tenantId);
    },
  );
}
