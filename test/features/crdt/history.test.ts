import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compactLog } from '../../../src/features/crdt/compact-log.ts';
import { deleteOldHistory } from '../../../src/features/crdt/history/keep-history.ts';
import { sql } from '../../../src/platform/database/database.ts';
import { dataOf, failureOf } from '../../support/answers.ts';
import { makePlan, openEditor, userToken } from '../../support/editors.ts';
import { eventually } from '../../support/eventually.ts';
import { testServer } from '../../support/server.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let now = Date.UTC(2027, 0, 5, 9);
let count = 0;
let editor: { organizationId: string; documentId: string; editorId: string };
const server = testServer({ HISTORY_RETENTION_DAYS: '7' }, { clock: { now: () => now } });
beforeAll(async () => {
  await makePlan(server);
});
beforeEach(() => {
  editor = { organizationId: 'acme', documentId: 'plan', editorId: `body-${++count}` };
});

const call = (verb: string, more = {}, headers = server.keyHeaders) =>
  server.call(`/v2/crdt/${verb}`, { ...editor, ...more }, headers);
const restore = async (at: number) => dataOf(await call('versions/restore', { at }));
const content = async () => dataOf(await call('get'))[0].data;
const versions = async () => dataOf(await call('versions/list'));
const compact = () =>
  compactLog(server.app.services, { tenantId: server.quickstart.apiKey, ...editor });
const bearer = async (userId: string, accessRole: 'viewer' | 'editor') => ({
  authorization: `Bearer ${await userToken(server, userId, { accessRole })}`,
});

/** Writes this text a minute after the last one, and returns the time. */
async function write(data: string, headers = server.keyHeaders): Promise<number> {
  now += MINUTE;
  const verb = (await call('get')).body.result.data.length === 0 ? 'add' : 'update';
  dataOf(await call(verb, { type: 'text', data }, headers));
  return now;
}

const stretches = () =>
  server.app.services.db.query<{ since: Date; until: Date; bytes: number }>(sql`
    SELECT h.since, h.until, length(coalesce(h.base, '')) + length(h.updates) AS bytes
    FROM crdt_documents c JOIN crdt_history h USING (tenant_id, log_id)
    WHERE tenant_id = ${server.quickstart.apiKey} AND c.editor_id = ${editor.editorId}
    ORDER BY h.base_version`);

describe('a restore to a moment', () => {
  it('brings back any state, before and after each compaction', async () => {
    const texts = ['one', 'one two', 'two', 'two and more', 'nothing', 'the end'];
    const times: number[] = [];
    for (const [index, text] of texts.entries()) {
      times.push(await write(text));
      if (index % 2 === 1 && index < 5) await compact();
    }
    expect((await stretches()).length).toBeGreaterThan(0);
    now += MINUTE;
    for (const [index, at] of times.entries()) {
      await restore(at + MINUTE / 2);
      expect(await content()).toBe(texts[index]);
    }
  });

  it('is a change that open editors receive, and keeps what was there as a version', async () => {
    const before = await write('A plan for May.');
    await write('Somebody selected all and typed.');
    await compact();
    now += MINUTE;
    const token = await userToken(server, 'ada', { accessRole: 'editor' });
    const open = await openEditor({ url: server.url, name: `acme/plan/${editor.editorId}`, token });
    open.text.insert(0, 'Late: ');
    await open.sent();
    await restore(before);
    await eventually(() => expect(open.text.toString()).toBe('A plan for May.'));
    const [kept] = await versions();
    expect(kept.name).toBe('Before a restore');
    dataOf(await call('versions/restore', { versionId: kept.versionId }));
    await eventually(() =>
      expect(open.text.toString()).toBe('Late: Somebody selected all and typed.'),
    );
  });

  it('keeps the last ten versions of what was there, and all that people made', async () => {
    const at = await write('the first');
    dataOf(await call('versions/create', { name: 'Ours' }));
    for (let number = 1; number <= 12; number++) {
      await write(`text ${number}`);
      now += MINUTE;
      await restore(at);
    }
    const kept: Array<{ name: string; versionId: string }> = await versions();
    expect(kept.map(({ name }) => name)).toEqual([...Array(10).fill('Before a restore'), 'Ours']);
    dataOf(await call('versions/restore', { versionId: kept[9]?.versionId }));
    expect(await content()).toBe('text 3');
  });

  it('stores no version and changes nothing when the content is as it was', async () => {
    const at = await write('the same');
    now += MINUTE;
    await restore(at);
    expect(await versions()).toEqual([]);
  });

  it('separates edits that are ten seconds apart', async () => {
    const at = await write('a');
    now += 10_000;
    dataOf(await call('update', { type: 'text', data: 'ab' }));
    await restore(at);
    expect(await content()).toBe('a');
  });

  it('refuses a moment before the content, after the present, and none or two', async () => {
    const first = await write('one');
    await write('two');
    await compact();
    const early = await call('versions/restore', { at: first - 1 });
    expect(early.body.error).toMatchObject({
      status: 'OUT_OF_RANGE',
      message: `at: The content of that time is not kept. The oldest after it is of ${new Date(first).toISOString()}.`,
      details: { oldestAt: first },
    });
    const late = await call('versions/restore', { at: now + 1 });
    expect(late.body.error).toMatchObject({
      status: 'OUT_OF_RANGE',
      message: 'at: lies in the future.',
    });
    for (const more of [{}, { at: first, versionId: 'v' }, { at: 'yesterday' }, { at: -1 }]) {
      expect(failureOf(await call('versions/restore', more)).status).toBe('INVALID_ARGUMENT');
    }
    const nobody = await call('versions/restore', { editorId: 'none', at: first });
    expect(failureOf(nobody).status).toBe('NOT_FOUND');
    expect(await content()).toBe('two');
    expect(await versions()).toEqual([]);
  });
});

describe('the history of content', () => {
  it('is kept for the time that the setting says, and at most twice as long', async () => {
    const first = await write('one');
    await write('two');
    await compact();
    now += 7 * DAY - MINUTE;
    await deleteOldHistory(server.app.services);
    await restore(first);
    expect(await content()).toBe('one');
    now += 2 * MINUTE;
    await deleteOldHistory(server.app.services);
    expect(failureOf(await call('versions/restore', { at: first })).status).toBe('OUT_OF_RANGE');
    expect(await stretches()).toEqual([]);
  });

  it('begins a new stretch where the last one ended when that is old, so that it can be deleted', async () => {
    await write('x'.repeat(2_000));
    await compact();
    for (const text of ['one', 'two']) {
      await write(text.repeat(400));
      await compact();
    }
    expect(await stretches()).toHaveLength(2);
    now += 8 * DAY;
    await write('three');
    await compact();
    const all = await stretches();
    expect(all).toHaveLength(3);
    expect(all.slice(1).map(({ since }) => since)).toEqual(
      all.slice(0, -1).map(({ until }) => until),
    );
  });

  it('goes with the content, and where a user is erased who wrote in it', async () => {
    const ada = await bearer('erased', 'editor');
    const first = await write('by a key');
    await write('by erased', ada);
    await compact();
    const erasure = { organizationIds: ['acme'], userIds: ['erased'] };
    const { jobId } = dataOf(await server.call('/v2/users/data/delete', erasure));
    await eventually(async () => {
      const status = dataOf(await server.call('/v2/users/data/delete/status', { jobId }));
      expect(status.receipt.editorHistory).toBe(1);
    });
    expect(failureOf(await call('versions/restore', { at: first })).status).toBe('OUT_OF_RANGE');
    await write('again');
    await compact();
    expect(await stretches()).toHaveLength(1);
    dataOf(await call('delete'));
    const left = await server.app.services.db.query(sql`
      SELECT 1 FROM crdt_history WHERE tenant_id = ${server.quickstart.apiKey}
        AND since > ${new Date(first)}`);
    expect(left).toEqual([]);
  });
});
