import { describe, expect, it } from 'vitest';
import { compactLog } from '../../../src/features/crdt/compact-log.ts';
import { deleteOldHistory } from '../../../src/features/crdt/history/keep-history.ts';
import { appendWithin } from '../../../src/features/crdt/log/append-updates.ts';
import { loadStored } from '../../../src/features/crdt/log/load-stored.ts';
import { runJob } from '../../../src/features/crdt/worker/run-job.ts';
import { sql } from '../../../src/platform/database/database.ts';
import { failureOf, type Loose } from '../../support/answers.ts';
import { newEditorPerTest, openPlan, planHeaders } from '../../support/editors.ts';
import { erase } from '../../support/erasure.ts';
import { allEvents } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { holdTransaction } from '../../support/hold-transaction.ts';
import { testServer } from '../../support/server.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let now = Date.UTC(2027, 0, 5, 9);
const server = testServer({ HISTORY_RETENTION_DAYS: '7' }, { clock: { now: () => now } });
const editor = newEditorPerTest(server);

const call = (verb: string, more: object = {}, headers = server.keyHeaders) =>
  server.call(`/v2/crdt/${verb}`, { ...editor, ...more }, headers);
const ok = (verb: string, more: object = {}, headers = server.keyHeaders) =>
  server.ok(`/v2/crdt/${verb}`, { ...editor, ...more }, headers);
const add = (data: unknown, type = 'text') => ok('add', { type, data });
const content = async (): Promise<Loose> => (await ok('get'))[0];
const textNow = async () => (await content()).data;
const versions = (): Promise<Loose[]> => ok('versions/list');
const create = (name?: string) => ok('versions/create', { name });
const restore = (at: number) => ok('versions/restore', { at });
const statusOfRestore = async (input: object) =>
  failureOf(await call('versions/restore', input)).status;
const compact = (historyRetentionDays = 7) => {
  const { services } = server.app;
  const config = { ...services.config, historyRetentionDays };
  return compactLog({ ...services, config }, { tenantId: server.quickstart.apiKey, ...editor });
};
const open = (userId?: string) => openPlan(server, editor.editorId, userId);

/** Writes this text a minute after the last one, and returns the time. */
async function write(data: string, headers = server.keyHeaders): Promise<number> {
  now += MINUTE;
  const verb = (await ok('get')).length === 0 ? 'add' : 'update';
  await ok(verb, { type: 'text', data }, headers);
  return now;
}

const segments = () =>
  server.app.services.db.query<{ since: Date; until: Date; bytes: number }>(sql`
    SELECT h.since, h.until, length(coalesce(h.base, '')) + length(h.updates) AS bytes
    FROM crdt_documents c JOIN crdt_history h USING (tenant_id, log_id)
    WHERE tenant_id = ${server.quickstart.apiKey} AND c.editor_id = ${editor.editorId}
    ORDER BY h.base_version`);

it('the version of content grows with every change, and updates may be conditional on it', async () => {
  await add('one');
  await ok('update', { type: 'text', data: 'one' });
  expect((await content()).version).toBe(1);
  const { text, sent } = await open();
  await ok('update', { type: 'text', data: 'one two', ifVersion: 1 });
  await eventually(() => expect(text.toString()).toBe('one two'));
  const late = await call('update', { type: 'text', data: 'three', ifVersion: 1 });
  expect(failureOf(late)).toMatchObject({ http: 409, status: 'ABORTED' });
  expect(await content()).toMatchObject({ data: 'one two', version: 2 });
  // Edits count that are not stored yet.
  text.insert(7, '!');
  await sent();
  const later = await call('update', { type: 'text', data: 'three', ifVersion: 2 });
  expect(failureOf(later).status).toBe('ABORTED');
  await eventually(async () =>
    expect(await content()).toMatchObject({ data: 'one two!', version: 3 }),
  );
});

describe('crdt/versions', () => {
  it('are listed newest first, a page at a time, with the editor who created them', async () => {
    await add('one');
    const first = await create('first');
    const byEd = await ok('versions/create', {}, await planHeaders(server, 'ed'));
    const third = await create('third');
    expect(first).toMatchObject({ name: 'first', version: 1, createdBy: null });
    expect(byEd.createdBy).toBe('ed');
    const page = async (pageToken?: string) =>
      (await call('versions/list', { pageSize: 2, pageToken })).body.result;
    const result = await page();
    const next = await page(result.nextPageToken);
    expect(next.nextPageToken).toBeUndefined();
    expect([result.data, next.data]).toEqual([[third, byEd], [first]]);
    expect(await statusOfRestore({ versionId: 'none' })).toBe('NOT_FOUND');
  });

  it('include every root of the document, with text formats, and are restored by a change that can be reverted itself', async () => {
    const { doc, text, sent } = await open();
    doc.transact(() => {
      text.insert(0, 'plain bold');
      text.format(6, 4, { bold: true });
      doc.getMap('state').set('items', ['a', { b: 1 }]);
    });
    await sent();
    await eventually(async () => expect((await content()).version).toBeGreaterThan(0));
    const { versionId } = await create();
    doc.transact(() => {
      text.delete(0, text.length);
      doc.getMap('state').clear();
      doc.getArray('later').push(['new']);
    });
    await sent();
    const changed = await create();
    await ok('versions/restore', { versionId });
    const formatted = [{ insert: 'plain ' }, { insert: 'bold', attributes: { bold: true } }];
    await eventually(() => expect(text.toDelta()).toEqual(formatted));
    expect(doc.getMap('state').toJSON()).toEqual({ items: ['a', { b: 1 }] });
    expect(doc.getArray('later').toJSON()).toEqual([]);
    await ok('versions/restore', { versionId: changed.versionId });
    await eventually(() => expect(doc.getArray('later').toJSON()).toEqual(['new']));
    expect(text.toString()).toBe('');
  });
});

describe('a restore to a moment', () => {
  it('brings back any state, before and after each compaction, and between edits ten seconds apart', async () => {
    const texts = ['one', 'one two', 'two', 'two and more', 'nothing', 'the end'];
    const times: number[] = [];
    for (const [index, text] of texts.entries()) {
      times.push(await write(text));
      if (index % 2 === 1 && index < 5) await compact();
    }
    expect((await segments()).length).toBeGreaterThan(0);
    now += MINUTE;
    for (const [index, at] of times.entries()) {
      await restore(at + MINUTE / 2);
      expect(await textNow()).toBe(texts[index]);
    }
    const at = await write('a');
    now += 10_000;
    await ok('update', { type: 'text', data: 'ab' });
    await restore(at);
    expect(await textNow()).toBe('a');
  });

  it('is a change that open editors receive, and keeps what was there as a version', async () => {
    const before = await write('A plan for May.');
    await restore(before);
    expect(await versions(), 'the content was as it is').toEqual([]);
    await write('Somebody selected all and typed.');
    await compact();
    now += MINUTE;
    const { text, sent } = await open();
    text.insert(0, 'Late: ');
    await sent();
    await restore(before);
    await eventually(() => expect(text.toString()).toBe('A plan for May.'));
    const [kept] = await versions();
    expect(kept.name).toBe('Before a restore');
    await ok('versions/restore', { versionId: kept.versionId });
    const late = 'Late: Somebody selected all and typed.';
    await eventually(() => expect(text.toString()).toBe(late));
  });

  it('keeps the last ten versions of what was there, and all that people made', async () => {
    const at = await write('the first');
    await ok('versions/create', { name: 'Ours' });
    for (let number = 1; number <= 11; number++) {
      await write(`text ${number}`);
      now += MINUTE;
      await restore(at);
    }
    const kept: Array<{ name: string; versionId: string }> = await versions();
    expect(kept.map(({ name }) => name)).toEqual([...Array(10).fill('Before a restore'), 'Ours']);
    await ok('versions/restore', { versionId: kept[9]?.versionId });
    expect(await textNow()).toBe('text 2');
  });

  it('follows a concurrent replacement, keeps its content as a version, and holds up no typing', async () => {
    const { services } = server.app;
    const name = { tenantId: server.quickstart.apiKey, ...editor };
    const at = await write('the first');
    await write('the second');
    const { text, sent } = await open();
    const stored = await loadStored(services.db, name);
    if (!stored) throw new Error('The content is not stored.');
    const replacement = { key: undefined, data: 'the third', marks: undefined };
    const job = { kind: 'replace', stored, replacement: { ...replacement, type: 'text' } } as const;
    const { update, content: replaced } = await runJob(services.workerPool, job);
    const tx = await services.db.begin();
    await appendWithin(tx, services, [
      {
        ...{ name, logId: stored.logId, updates: [update], count: 1, userId: undefined },
        ...{ baseVersion: 2, conflictsWith: 'replacements', content: replaced },
      },
    ]);
    const headers = { ...server.keyHeaders, 'idempotency-key': 'restore' };
    const restoring = ok('versions/restore', { at }, headers);
    const held = await holdTransaction(server.databaseUrl, 'SELECT 1');
    await held.holdsUp(1, 'crdt_documents');
    text.insert(0, 'x');
    await held.holdsUp(2, 'crdt_documents');
    await held.release();
    await tx.commit();
    await restoring;
    await sent();
    const [kept, ...others] = await versions();
    expect(others).toEqual([]);
    await ok('versions/restore', { versionId: kept.versionId });
    expect(await textNow()).toContain('the third');
  });

  it('refuses a moment before the content, after the present, and none or two', async () => {
    const first = await write('one');
    await write('two');
    await compact();
    const early = await call('versions/restore', { at: first - 1 });
    const oldest = new Date(first).toISOString();
    expect(early.body.error).toMatchObject({
      status: 'OUT_OF_RANGE',
      message: `at: The content at that time is not stored. The oldest stored content after it is from ${oldest}.`,
      details: { oldestAt: first },
    });
    const late = await call('versions/restore', { at: now + 1 });
    expect(late.body.error.message).toBe('at: The time is in the future.');
    for (const more of [{}, { at: first, versionId: 'v' }, { at: 'yesterday' }, { at: -1 }]) {
      expect(await statusOfRestore(more)).toBe('INVALID_ARGUMENT');
    }
    expect(await statusOfRestore({ editorId: 'none', at: first })).toBe('NOT_FOUND');
    expect(await textNow()).toBe('two');
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
    expect(await textNow()).toBe('one');
    now += 2 * MINUTE;
    await deleteOldHistory(server.app.services);
    expect(await statusOfRestore({ at: first })).toBe('OUT_OF_RANGE');
    expect(await segments()).toEqual([]);
  });

  it('has a new segment where the last one is old, which can be deleted, and after a gap', async () => {
    await write('x'.repeat(2_000));
    await compact();
    for (const text of ['one', 'two']) {
      await write(text);
      await compact();
    }
    expect(await segments()).toHaveLength(2);
    now += 8 * DAY;
    await write('three');
    await compact();
    const [first, second, third] = await segments();
    expect([second?.since, third?.since]).toEqual([first?.until, second?.until]);

    const lost = await write('four');
    await write('five');
    await compact(0);
    const kept = await write('six');
    await write('seven');
    await compact();
    expect(await segments()).toHaveLength(4);
    await restore(kept);
    expect(await textNow()).toBe('six');
    expect(await statusOfRestore({ at: lost })).toBe('OUT_OF_RANGE');
  });

  it('is deleted with the content, and where it has edits of a user who is erased', async () => {
    const ada = await planHeaders(server, 'erased');
    await write('x'.repeat(2_000));
    await compact();
    const first = await write('by erased', ada);
    await compact();
    // An edit soon afterwards continues the same segment of the history.
    await write('by a key');
    await compact();
    const erasure = { organizationIds: ['acme'], userIds: ['erased'] };
    expect((await erase(server, server.keyHeaders, erasure)).editorHistory).toBe(1);
    expect(await statusOfRestore({ at: first })).toBe('OUT_OF_RANGE');
    await write('again');
    await compact();
    expect(await segments()).toHaveLength(2);
    await ok('delete');
    const left = await server.app.services.db.query(sql`
      SELECT 1 FROM crdt_history WHERE tenant_id = ${server.quickstart.apiKey}
        AND since > ${new Date(first)}`);
    expect(left).toEqual([]);
  });
});

describe('crdt/delete', () => {
  it('deletes the content of one editor or all with its versions, and publishes the change', async () => {
    await add('one');
    await create();
    await ok('delete');
    expect(await ok('get')).toEqual([]);
    expect(failureOf(await call('delete')).status).toBe('NOT_FOUND');
    const events = await allEvents(server, { types: ['crdt.update_data'] });
    const own = events.filter(({ data }) => data.id === editor.editorId);
    expect(own.at(-1)?.data.data).toBeNull();
    await add({}, 'map');
    expect(await versions()).toEqual([]);
    // Without an id, all editors of the document.
    for (const _ of [1, 2]) await ok('delete', { editorId: undefined });
    expect(await ok('get', { editorId: undefined })).toEqual([]);
  });

  it('disconnects open editors, whose copies do not restore the content', async () => {
    await add('old');
    const stale = await open();
    await ok('delete');
    await eventually(() => expect(stale.refusals).toContain('NOT_FOUND'));
    await add('new');
    await (await stale.disconnect())();
    await eventually(() => expect(stale.refusals.slice(1)).toContain('NOT_FOUND'));
    expect(await textNow()).toBe('new');
    const fresh = await open();
    expect(fresh.text.toString()).toBe('new');
    fresh.text.insert(3, '!');
    await fresh.sent();
    await eventually(async () => expect(await textNow()).toBe('new!'));
  });
});
