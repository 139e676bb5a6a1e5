import { describe, expect, inject, it } from 'vitest';
import { loadStored, withStored } from '../../src/features/crdt/log/load-stored.ts';
import { type Database, sql } from '../../src/platform/database/database.ts';
import { makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { createNetwork } from '../support/network.ts';
import { startTestServer } from '../support/server.ts';

const place = { organizationId: 'acme', documentId: 'plan' };
const REDIS_URL = inject('redisUrl') ?? '';
const one = await startTestServer({ REDIS_URL });
const two = await startTestServer({ REDIS_URL, DATABASE_URL: one.databaseUrl });
await makePlan(one);
const token = await userToken(one, 'ada', { accessRole: 'editor' });

const onBoth = async (editorId: string) => {
  const name = `acme/plan/${editorId}`;
  return [
    await openEditor({ url: one.url, name, token }),
    await openEditor({ url: two.url, name, token }),
  ] as const;
};

describe('two processes', () => {
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

  it('store for each other what one of them could not', async () => {
    const REDIS_URL = inject('redisUrl') ?? '';
    const broken = await startTestServer(
      { REDIS_URL, DATABASE_URL: one.databaseUrl },
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
      { REDIS_URL, DATABASE_URL: one.databaseUrl },
      { onDatabase: refuseUpdates },
    );
    await userToken(one, 'ada', { accessRole: 'editor' });
    const name = 'acme/plan/taken-over';
    const editor = { ...place, editorId: 'taken-over' };
    await one.call('/v2/crdt/add', { ...editor, type: 'text', data: 'to be deleted' });
    const proxy = await createNetwork(broken.url);
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
