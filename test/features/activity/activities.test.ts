import { beforeEach, describe, expect, it } from 'vitest';
import { hashOf } from '../../../src/features/activity/record.ts';
import { verifyChains } from '../../../src/features/activity/verify-activities.ts';
import { eventTypes } from '../../../src/features/index.ts';
import { sql } from '../../../src/platform/database/database.ts';
import { dataOf, failureOf, fresh, pagesOf } from '../../support/answers.ts';
import { databaseClient } from '../../support/database-client.ts';
import { organize } from '../../support/directory.ts';
import { eventually } from '../../support/eventually.ts';
import { createTenant, startTestServer } from '../../support/server.ts';

const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };

let headers: Record<string, string>;
let organizationId: string;
const server = await startTestServer({}, { clock });
beforeEach(async () => {
  headers = await createTenant(server);
  organizationId = fresh('org');
  await configure({ isEnabled: true });
  await organize(server, organizationId, {}, headers);
});

const configure = (activityServiceConfig: object) =>
  server.ok('/v2/workspace/activityconfig/update', { activityServiceConfig }, headers);
const ask = (operation: string, data: object = {}) =>
  server.call(`/v2/activities/${operation}`, { organizationId, ...data }, headers);
const add = async (activities: object[], place: object = {}) =>
  dataOf(await ask('add', { ...place, activities }));
// biome-ignore lint/suspicious/noExplicitAny: tests look into records of every kind
const get = async (data: object = {}): Promise<any[]> => dataOf(await ask('get', data));
const verify = async () => dataOf(await ask('verify'));
const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    activityId: `a-${n + 1}`,
    featureType: 'invoice',
    actionType: 'invoice.pay',
    data: { n, b: { z: 1, a: [1.5, 'ü', null] } },
  }));
const idsOf = (records: Array<{ id: string }>) => records.map(({ id }) => id);

/** Changes rows with the database's own password and with triggers disabled. */
async function tamper(...statements: string[]): Promise<void> {
  const client = await databaseClient(server.databaseUrl);
  await client.query("SET session_replication_role = 'replica'");
  for (const statement of statements) await client.query(statement, [organizationId]);
}
const WHERE = 'WHERE organization_id = $1 AND position';

interface SomeEvent {
  type: string;
  organizationId?: string;
}

const published = (event: SomeEvent) => ({
  organizationId,
  documentId: 'plan',
  channels: [`organization:${organizationId}`, 'user:ada'],
  data: { ...eventTypes[event.type]?.example, commentText: `It is ${event.type}` },
  ...event,
});

/** Writes events as a feature would. */
const publish = async (...events: SomeEvent[]) => {
  const tenantId = headers['x-svc-api-key'] ?? '';
  const { db, events: log } = server.app.services;
  await db.transaction((tx) => log.append(tx, tenantId, events.map(published)));
};

describe('activities/add and /get', () => {
  it('appends records to a hash chain', async () => {
    const paid = {
      featureType: 'invoice',
      actionType: 'invoice.pay',
      actionUser: { userId: 'ada', name: 'Ada', team: 'blue' },
      displayMessageTemplate: '{actionUser} paid',
      displayMessageTemplateData: { sum: 5 },
      data: { sum: 5 },
    };
    const outcomes = await add([{ activityId: 'one', ...paid }, paid], { documentId: 'bill' });
    expect(outcomes.one).toEqual({ success: true, id: 'one', message: 'Activity added.' });
    expect(Object.keys(outcomes)).toHaveLength(2);
    const [first, next] = await get({ order: 'asc' });
    expect(first).toEqual({
      ...paid,
      id: 'one',
      position: 1,
      timestamp: clock.time,
      metadata: { apiKey: headers['x-svc-api-key'], organizationId, documentId: 'bill' },
      immutable: true,
      previousHash: '0'.repeat(64),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(next).toMatchObject({ position: 2, previousHash: first.hash });
  });

  it('records a repeated id once, also under concurrency', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => add(numbered(5))));
    const outcomes = answers.flatMap((answer) => Object.values<{ success: boolean }>(answer));
    expect(outcomes.filter(({ success }) => success)).toHaveLength(5);
    expect(idsOf(await get({ order: 'asc' }))).toEqual(['a-1', 'a-2', 'a-3', 'a-4', 'a-5']);
    expect(await verify()).toMatchObject({ valid: true, records: 5 });
  });

  it('exports all records as NDJSON, whatever their number', async () => {
    await add(numbered(1_000));
    await add(numbered(1_100).slice(1_000));
    const exported = async (data: object) => {
      const response = await fetch(`${server.url}/v2/activities/export`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ data: { organizationId, ...data } }),
      });
      expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
      const lines = (await response.text()).split('\n');
      expect(lines.pop()).toBe('');
      return lines.map((line) => JSON.parse(line));
    };
    const records = await exported({});
    expect(records.map(({ position }) => position)).toEqual(
      Array.from({ length: 1_100 }, (_, n) => n + 1),
    );
    expect(records.slice(0, 5)).toEqual(await get({ order: 'asc', pageSize: 5 }));
    expect(await exported({ order: 'desc', pageSize: 700 })).toEqual(records.toReversed());
    expect(await exported({ featureTypes: ['none'] })).toEqual([]);
  });

  it('refuses records while activity logs are disabled', async () => {
    await configure({ isEnabled: false });
    const refused = await ask('add', { activities: numbered(1) });
    expect(failureOf(refused).status).toBe('FAILED_PRECONDITION');
    expect(await get()).toEqual([]);
  });

  it('combines the filters for document, user, feature and action', async () => {
    const of = (activityId: string, featureType: string, actionType: string, userId: string) => ({
      activityId,
      featureType,
      actionType,
      actionUser: { userId },
    });
    await add([of('a', 'x', 'x.add', 'ada'), of('b', 'y', 'y.add', 'ada')], { documentId: 'd1' });
    await add([of('c', 'x', 'x.del', 'bob'), of('d', 'x', 'x.add', 'bob')], { documentId: 'd2' });
    const found = async (filters: object) => idsOf(await get({ order: 'asc', ...filters }));
    expect(await found({ documentId: 'd1' })).toEqual(['a', 'b']);
    expect(await found({ userId: 'bob' })).toEqual(['c', 'd']);
    expect(await found({ featureTypes: ['x', 'none'] })).toEqual(['a', 'c', 'd']);
    expect(await found({ actionTypes: ['x.add', 'y.add'] })).toEqual(['a', 'b', 'd']);
    expect(await found({ featureTypes: [], userId: 'bob', actionTypes: ['x.add'] })).toEqual(['d']);
  });

  it.each(['asc', 'desc'])(
    'pages in order %s without repeats while records are added',
    async (order) => {
      await add(numbered(5));
      const seen: string[] = [];
      const read = async (pageToken?: string) =>
        (await ask('get', { order, pageSize: 2, pageToken })).body.result;
      for await (const { data } of pagesOf(read)) {
        seen.push(...idsOf(data));
        if (order === 'desc') await add([{ ...numbered(1)[0], activityId: fresh('later') }]);
      }
      const all = ['a-1', 'a-2', 'a-3', 'a-4', 'a-5'];
      expect(seen).toEqual(order === 'asc' ? all : all.reverse());
    },
  );
});

describe('activities/verify', () => {
  beforeEach(() => add(numbered(6)));
  const problem = async () => (await verify()).problem;

  it('returns valid for an intact log, also an empty one', async () => {
    const [last] = await get();
    expect(await verify()).toEqual({ valid: true, records: 6, erased: 0, hash: last.hash });
    organizationId = await organize(server, fresh('org'), {}, headers);
    expect(await verify()).toEqual({ valid: true, records: 0, erased: 0, hash: '0'.repeat(64) });
  });

  it('finds the first changed record, whatever was changed', async () => {
    for (const [at, change] of [
      "user_id = 'forged'",
      "action_type = 'forged'",
      "document_id = 'forged'",
      `content = '{"data":{"n":7}}'`,
      "created_at = created_at + interval '1 ms'",
    ].entries()) {
      const position = 6 - at;
      await tamper(`UPDATE activities SET ${change} ${WHERE} = ${position}`);
      const problem = { kind: 'changed', position, id: `a-${position}` };
      expect(await verify()).toMatchObject({ valid: false, records: position - 1, problem });
    }
  });

  it('is verified in the background, and found broken or mended there', async () => {
    const { services } = server.app;
    const broken = async () => {
      // Each chain is verified once a day, and one that is broken every hour.
      clock.time += 25 * 3_600_000;
      await verifyChains(services);
      const [chain] = await services.db.query<{ brokenAt: number | null }>(sql`
        SELECT broken_at::int AS "brokenAt" FROM activity_chains
        WHERE tenant_id = ${headers['x-svc-api-key']} AND organization_id = ${organizationId}`);
      return chain?.brokenAt;
    };
    expect(await broken()).toBeNull();
    await tamper(`UPDATE activities SET user_id = 'forged' ${WHERE} = 3`);
    expect(await broken()).toBe(3);
    await tamper(`UPDATE activities SET user_id = NULL ${WHERE} = 3`);
    expect(await broken()).toBeNull();
  });

  it('finds deleted records: in the middle, renumbered, or at the end', async () => {
    await tamper(`DELETE FROM activities ${WHERE} = 6`);
    expect(await problem()).toEqual({ kind: 'missing', position: 6 });
    await tamper(`DELETE FROM activities ${WHERE} = 4`);
    expect(await problem()).toEqual({ kind: 'missing', position: 4 });
    await tamper(`UPDATE activities SET position = 4 ${WHERE} = 5`);
    expect(await problem()).toEqual({ kind: 'missing', position: 4 });
    await tamper('DELETE FROM activities WHERE organization_id = $1');
    expect(await problem()).toEqual({ kind: 'missing', position: 1 });
  });

  it('finds inserted records: in the middle or at the end', async () => {
    const copyOf = (position: number) => `
      INSERT INTO activities SELECT tenant_id, organization_id, ${position}, 'forged', document_id,
        feature_type, action_type, user_id, content, is_immutable, created_at, previous_hash, hash
      FROM activities ${WHERE} = 6`;
    await tamper(copyOf(7));
    expect(await problem()).toEqual({ kind: 'inserted', position: 7, id: 'forged' });
    await tamper(
      `DELETE FROM activities ${WHERE} = 7`,
      `UPDATE activities SET position = -position ${WHERE} > 3`,
      `UPDATE activities SET position = 1 - position ${WHERE} < 0`,
      copyOf(4).replace('= 6', '= 7'),
    );
    expect(await problem()).toEqual({ kind: 'inserted', position: 4, id: 'forged' });
  });
});

describe('immutable records', () => {
  const refused = /neither changed nor deleted/;
  const run = (statement: string) =>
    server.app.services.db.pool.query(`${statement} AND tenant_id = $2`, [
      organizationId,
      headers['x-svc-api-key'],
    ]);

  /** Runs a statement with the setting that allows an erasure to change records. */
  const withErasing = (statement: string) =>
    server.app.services.db.transaction(async (tx) => {
      await tx.query(sql`SELECT set_config('activities.erasing', 'on', true)`);
      const text = `${statement} AND tenant_id = '${headers['x-svc-api-key']}'`;
      await tx.query(sql(text.split('$1'), organizationId));
    });

  it('cannot be changed in the database, also when the setting changes, which applies to later records', async () => {
    await add(numbered(1));
    const update = run('UPDATE activities SET user_id = NULL WHERE organization_id = $1');
    await expect(update).rejects.toThrow(refused);
    await configure({ immutable: false });
    await add([{ ...numbered(1)[0], activityId: 'later' }]);
    expect((await get()).map(({ immutable }) => immutable)).toEqual([false, true]);
    await run("DELETE FROM activities WHERE id = 'later' AND organization_id = $1");
    const deletion = run('DELETE FROM activities WHERE organization_id = $1');
    await expect(deletion).rejects.toThrow(refused);
  });

  it('may lose their content to an erasure, but nothing else', async () => {
    await add(numbered(3));
    const erase = (change: string) =>
      withErasing(`UPDATE activities SET erased_at = now(), content_salt = NULL, ${change}
                   WHERE position = 2 AND organization_id = $1`);
    await expect(erase("action_type = 'forged'")).rejects.toThrow(refused);
    await expect(erase("hash = 'forged'")).rejects.toThrow(refused);
    await erase(`content = '{}', user_id = NULL`);
    expect(await verify()).toMatchObject({ valid: true, records: 3, erased: 1 });
    expect((await get({ order: 'asc' }))[1].erasedAt).toEqual(expect.any(Number));
    await tamper(`UPDATE activities SET action_type = 'forged' ${WHERE} = 2`);
    const problem = { kind: 'changed', position: 2, id: 'a-2' };
    expect(await verify()).toMatchObject({ valid: false, erased: 0, problem });
  });

  it('of the first record format verify beside others, also when erased', async () => {
    const tenantId = headers['x-svc-api-key'] ?? '';
    await add(numbered(1));
    const [last] = await get();
    const facts = {
      id: 'old',
      organizationId,
      documentId: null,
      featureType: 'invoice',
      actionType: 'invoice.pay',
      userId: 'ada',
      content: { actionUser: { userId: 'ada' } },
      isImmutable: true,
      createdAt: new Date(clock.time),
    };
    const hash = hashOf(tenantId, facts, last.hash);
    const { pool } = server.app.services.db;
    await pool.query(
      `INSERT INTO activities (tenant_id, organization_id, position, id, feature_type, action_type,
         user_id, content, is_immutable, created_at, previous_hash, hash)
       VALUES ($1, $2, 2, 'old', 'invoice', 'invoice.pay', 'ada', $3, true, $4, $5, $6)`,
      [tenantId, organizationId, facts.content, facts.createdAt, last.hash, hash],
    );
    await pool.query(
      'UPDATE activity_chains SET length = 2, hash = $3 WHERE tenant_id = $1 AND organization_id = $2',
      [tenantId, organizationId, hash],
    );
    await add([{ ...numbered(1)[0], activityId: 'new' }]);
    expect(await verify()).toMatchObject({ valid: true, records: 3, erased: 0 });
    await withErasing(`UPDATE activities SET erased_at = now(), content = '{}', user_id = NULL
                       WHERE id = 'old' AND organization_id = $1`);
    expect(await verify()).toMatchObject({ valid: true, records: 3, erased: 1 });
    await tamper(`UPDATE activities SET erased_at = NULL ${WHERE} = 2`);
    expect((await verify()).problem).toEqual({ kind: 'changed', position: 2, id: 'old' });
  });
});

describe('the activity event reader', () => {
  const recorded = async (...actionTypes: string[]) =>
    eventually(async () => {
      const records = await get({ order: 'asc' });
      expect(records.map(({ actionType }) => actionType)).toEqual(actionTypes);
      return records;
    });

  it('records comments of organizations by the default triggers, with actor and document', async () => {
    await publish(
      { type: 'comment.add' },
      { type: 'document.add' },
      { type: 'comment.update', organizationId: undefined },
      { type: 'comment.update', organizationId: 'gone' },
      { type: 'comment.delete' },
    );
    const [first] = await recorded('comment.add', 'comment.delete');
    expect(first).toMatchObject({
      featureType: 'comment',
      timestamp: clock.time,
      actionUser: { userId: 'ada' },
      metadata: { organizationId, documentId: 'plan' },
      data: { commentText: 'It is comment.add' },
      immutable: true,
    });
    expect(await verify()).toMatchObject({ valid: true, records: 2 });
    expect(await get({ userId: 'ada', featureTypes: ['comment'] })).toHaveLength(2);
  });

  it('respects disabled triggers, and triggers of other features', async () => {
    const added = { add: true };
    await configure({
      triggers: { comment: { added: false }, document: added, permission: added },
    });
    await organize(server, organizationId, { documents: ['real'] }, headers);
    await publish({ type: 'comment.add' }, { type: 'comment.update' });
    const role = { type: 'organization', id: organizationId, organizationId };
    const user = { userId: 'ada' };
    const granted = { user, permissions: { resources: [{ ...role, accessRole: 'viewer' }] } };
    await server.ok('/v2/auth/permissions/add', granted, headers);
    const records = await recorded('document.add', 'comment.update', 'permission.add');
    expect(records[0]).toMatchObject({ featureType: 'document', data: { id: 'real' } });
    // Only servers give roles, so nobody is named as the giver.
    expect(records[2].data.user).toEqual(user);
    expect(records[2].actionUser).toBeUndefined();
  });

  it('records events of several keys and organizations together, each in its own chain', async () => {
    const { db, events } = server.app.services;
    const keys = [headers, await createTenant(server)];
    const others = [organizationId, fresh('org')];
    const organizations = others.map((id) => ({ organizationId: id }));
    for (headers of keys) {
      await configure({ isEnabled: true });
      await server.ok('/v2/organizations/add', { organizations }, headers);
    }
    const added = others.map((id) => published({ type: 'comment.add', organizationId: id }));
    await db.transaction(async (tx) => {
      for (const key of [...keys, ...keys, ...keys]) {
        await events.append(tx, key['x-svc-api-key'] ?? '', added);
      }
    });
    for (headers of keys) {
      for (organizationId of others) {
        await eventually(async () => expect(await get()).toHaveLength(3));
        expect(await verify()).toMatchObject({ valid: true, records: 3 });
      }
    }
  });

  it('records each event once when two processes read it and the cursor is reset', async () => {
    const second = await startTestServer({ DATABASE_URL: server.databaseUrl }, { clock });
    await publish(...Array.from({ length: 250 }, () => ({ type: 'comment.add' })));
    await eventually(async () => expect(await get()).toHaveLength(250));
    const { pool } = second.app.services.db;
    await pool.query('UPDATE event_reader_partitions SET sequence = 0');
    await pool.query('UPDATE event_readers SET sequence = 0');
    await publish({ type: 'comment.update' });
    await eventually(async () => expect(await get()).toHaveLength(251));
    expect(await verify()).toMatchObject({ valid: true, records: 251 });
  });
});
