import { beforeAll, describe, expect, inject, it } from 'vitest';
import { loadStored, withStored } from '../../src/features/crdt/log/load-stored.ts';
import { type Database, sql } from '../../src/platform/database/database.ts';
import { makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { flakyProxy } from '../support/flaky-proxy.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');
const place = { organizationId: 'acme', documentId: 'plan' };

let one: TestServer;
let two: TestServer;
let token: string;
beforeAll(async () => {
  const REDIS_URL = inject('redisUrl') ?? '';
  one = await startTestServer({ SECRET_KEY, REDIS_URL });
  two = await startTestServer({ SECRET_KEY, REDIS_URL, DATABASE_URL: one.databaseUrl });
  await makePlan(one);
  token = await userToken(one, 'ada', { accessRole: 'editor' });
});

const onBoth = async (editorId: string) => {
  const name = `acme/plan/${editorId}`;
  return [
    await openEditor({ url: one.url, name, token }),
    await openEditor({ url: two.url, name, token }),
  ] as const;
};

describe('two processes', () => {
  it('show one document to their editors', async () => {
    const [here, there] = await onBoth('shared');
    here.text.insert(0, 'Hello ');
    await eventually(() => expect(there.text.toString()).toBe('Hello '));
    there.text.insert(6, 'World');
    await eventually(() => expect(here.text.toString()).toBe('Hello World'));
    here.provider.setAwarenessField('user', { id: 'ada' });
    await eventually(() =>
      expect([...(there.provider.awareness?.getStates().values() ?? [])]).toContainEqual({
        user: { id: 'ada' },
      }),
    );
  });

  it("each write their own editors' updates to the log, and none twice", async () => {
    const [here, there] = await onBoth('once');
    for (let at = 0; at < 20; at++) {
      here.text.insert(0, 'h');
      there.text.insert(there.text.length, 't');
    }
    await eventually(() => {
      expect(here.text.toString()).toHaveLength(40);
      expect(there.text.toString()).toBe(here.text.toString());
    });
    await eventually(async () => {
      const [row] = await one.app.services.db.query<{ version: number }>(sql`
        SELECT max(u.version)::int AS version
        FROM crdt_documents /* all tenants */ c JOIN crdt_updates u USING (tenant_id, log_id)
        WHERE c.editor_id = 'once'`);
      expect(row?.version).toBe(40);
    });
  });

  it('accept REST edits for each other', async () => {
    const [here, there] = await onBoth('rest');
    const editor = { ...place, editorId: 'rest', type: 'text' };
    await one.call('/v2/crdt/add', { ...editor, data: 'one' });
    await eventually(() => expect(there.text.toString()).toBe('one'));
    const viaTwo = await two.call(
      '/v2/crdt/update',
      { ...editor, data: 'one two' },
      one.keyHeaders,
    );
    expect(viaTwo.status).toBe(200);
    await eventually(() => expect(here.text.toString()).toBe('one two'));
    await one.call('/v2/crdt/update', { ...editor, data: 'one two three' });
    await eventually(() => expect(there.text.toString()).toBe('one two three'));
  });

  it('accept REST edits of a document that only the other has open', async () => {
    const editor = { ...place, editorId: 'elsewhere', type: 'text' };
    const name = 'acme/plan/elsewhere';
    const there = await openEditor({ url: two.url, name, token });
    await one.call('/v2/crdt/add', { ...editor, data: 'added' });
    await eventually(() => expect(there.text.toString()).toBe('added'));
    await one.call('/v2/crdt/update', { ...editor, data: 'added, changed' });
    await eventually(() => expect(there.text.toString()).toBe('added, changed'));
  });

  it('store for each other what one of them could not', async () => {
    const REDIS_URL = inject('redisUrl') ?? '';
    const broken = await startTestServer(
      { SECRET_KEY, REDIS_URL, DATABASE_URL: one.databaseUrl },
      { onDatabase: refuseUpdates },
    );
    const documents = [{ documentId: 'orphan' }];
    await one.call('/v2/organizations/documents/add', { ...place, documents });
    const grant = { users: [{ userId: 'ada' }], organizationId: 'acme', documentId: 'orphan' };
    await one.call('/v1/users/add', grant);
    const name = 'acme/orphan/body';
    const there = await openEditor({ url: two.url, name, token });
    const editor = await openEditor({ url: broken.url, name, token });
    editor.text.insert(0, 'shown, and not stored');
    await eventually(() => expect(there.text.toString()).toBe('shown, and not stored'));
    editor.provider.configuration.websocketProvider.destroy();
    there.provider.configuration.websocketProvider.destroy();
    await eventually(async () => {
      const query = { organizationId: 'acme', documentId: 'orphan' };
      const { body } = await one.call('/v2/crdt/get', query);
      expect(body.result.data[0]?.data).toBe('shown, and not stored');
    });
  });

  it('store a deletion for each other too, and confirm adopted edits once stored', async () => {
    const REDIS_URL = inject('redisUrl') ?? '';
    const broken = await startTestServer(
      { SECRET_KEY, REDIS_URL, DATABASE_URL: one.databaseUrl },
      { onDatabase: refuseUpdates },
    );
    await userToken(one, 'ada', { accessRole: 'editor' });
    const name = 'acme/plan/taken-over';
    const editor = { ...place, editorId: 'taken-over' };
    await one.call('/v2/crdt/add', { ...editor, type: 'text', data: 'to be deleted' });
    const proxy = await flakyProxy(broken.url);
    const there = await openEditor({ url: two.url, name, token });
    const moving = await openEditor({ url: proxy.url, name, token });
    moving.text.delete(0, 6);
    await eventually(() => expect(there.text.toString()).toBe('deleted'));
    expect(moving.provider.hasUnsyncedChanges).toBe(true);
    proxy.forwardTo(two.url);
    proxy.breakAll();
    await moving.sent();
    const { rows } = await one.app.services.db.pool.query(
      `SELECT max(u.version)::int AS version FROM crdt_documents c /* all tenants */
       JOIN crdt_updates u USING (tenant_id, log_id) WHERE c.editor_id = 'taken-over'`,
    );
    expect(rows).toEqual([{ version: 2 }]);
    const stored = await loadStored(one.app.services.db, {
      ...editor,
      tenantId: one.quickstart.apiKey,
    });
    expect(withStored(stored, (doc) => doc.getText('content').toString())).toBe('deleted');
  });
});

/** A process that cannot write to the log, as if it had died. */
function refuseUpdates({ pool }: Database): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
    const refusing = (...parameters: unknown[]) => {
      const { text = '' } = parameters[0] as { text?: string };
      if (!text.includes('INSERT INTO crdt_updates')) return query(...parameters);
      return Promise.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }));
    };
    client.query = refusing as typeof client.query;
  });
}
