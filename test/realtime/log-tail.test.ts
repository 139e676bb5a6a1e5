import { describe, expect, it } from 'vitest';
import { planServer } from '../support/editors.ts';
import { eventually, SOON_MS } from '../support/eventually.ts';
import { startTestServer } from '../support/server.ts';

/** A worker thread prepares a large edit, which is then applied in steps. */
const LARGE_MS = 15_000;
const { server: one, open, call, contentOf } = await planServer();
const two = await startTestServer({ DATABASE_URL: one.databaseUrl });

const onBoth = async (editorId: string) =>
  [await open(editorId), await open(editorId, { at: two })] as const;

describe('two processes that share only the database', () => {
  it('exchange edits of editors', async () => {
    const [here, there] = await onBoth('typed');
    here.text.insert(0, 'Hello ');
    await eventually(() => expect(there.text.toString()).toBe('Hello '), SOON_MS);
    there.text.insert(6, 'World');
    await eventually(() => expect(here.text.toString()).toBe('Hello World'), SOON_MS);
    here.text.delete(0, 6);
    await eventually(() => expect(there.text.toString()).toBe('World'), SOON_MS);
  });

  it.each([
    ['small', 'word ', SOON_MS],
    ['large', 'word '.repeat(100_000), LARGE_MS],
  ])('exchange edits of REST (%s)', async (size, data, deadlineMs) => {
    const [here, there] = await onBoth(`rest-${size}`);
    const editor = { editorId: `rest-${size}`, type: 'text' };
    await call('add', { ...editor, data });
    await eventually(() => expect(there.text.length).toBe(data.length), deadlineMs);
    await call('update', { ...editor, data: `changed ${data}` }, two);
    await eventually(() => expect(here.text.toString()).toBe(`changed ${data}`), deadlineMs);
  });

  it('exchange edits made while a document is being opened at the other', async () => {
    for (let round = 0; round < 4; round++) {
      const editorId = `opening-${round}`;
      const here = await open(editorId);
      here.text.insert(0, 'x');
      const opening = open(editorId, { at: two });
      for (let at = 0; at < 3; at++) {
        here.text.insert(0, 'x');
        await here.sent();
      }
      const there = await opening;
      await eventually(() => expect(there.text.length).toBe(4), SOON_MS);
    }
  });
});

it.each([0, 1, 2, 3])(
  'content that is deleted during edits at another process stays deleted (%i)',
  async (round) => {
    const editorId = `raced-${round}`;
    await call('add', { editorId, type: 'text', data: 'old' });
    const typist = await open(editorId, { at: two });
    const deleted = call('delete', { editorId });
    for (let at = 0; at < 20 && typist.refusals.length === 0; at++) {
      typist.text.insert(0, `typed `);
      // At the deletion, some edits are in transit, some in memory and some stored.
      if (at % (round + 2) === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await deleted;
    await eventually(() => expect(typist.refusals[0]).toBe('NOT_FOUND'));
    expect(await call('get', { editorId })).toEqual([]);
    await call('add', { editorId, type: 'text', data: 'new' });
    const fresh = await open(editorId, { at: two });
    expect(fresh.text.toString()).toBe('new');
    expect(await contentOf(editorId)).toBe('new');
  },
);
