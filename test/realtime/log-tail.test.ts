import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually, SOON_MS } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** A worker thread prepares it, and it is applied in steps. */
const LARGE_MS = 15_000;
const one = await startTestServer();
const two = await startTestServer({ DATABASE_URL: one.databaseUrl });
await makePlan(one);
const token = await userToken(one, 'ada', { accessRole: 'editor' });

const onBoth = async (editorId: string) => {
  const name = `acme/plan/${editorId}`;
  return [
    await openEditor({ url: one.url, name, token }),
    await openEditor({ url: two.url, name, token }),
  ] as const;
};
const call = async (server: TestServer, verb: string, data: object) => {
  const place = { organizationId: 'acme', documentId: 'plan' };
  const { status, body } = await server.call(
    `/v2/crdt/${verb}`,
    { ...place, ...data },
    one.keyHeaders,
  );
  expect(status).toBe(200);
  return body.result.data;
};

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
  ])(
    'exchange edits of REST (%s)',
    async (size, data, deadlineMs) => {
      const [here, there] = await onBoth(`rest-${size}`);
      const editor = { editorId: `rest-${size}`, type: 'text' };
      await call(one, 'add', { ...editor, data });
      await eventually(() => expect(there.text.length).toBe(data.length), deadlineMs);
      await call(two, 'update', { ...editor, data: `changed ${data}` });
      await eventually(() => expect(here.text.toString()).toBe(`changed ${data}`), deadlineMs);
    },
    60_000,
  );

  it('exchange edits made while a document is being opened at the other', async () => {
    for (let round = 0; round < 4; round++) {
      const name = `acme/plan/opening-${round}`;
      const here = await openEditor({ url: one.url, name, token });
      here.text.insert(0, 'x');
      const opening = openEditor({ url: two.url, name, token });
      for (let at = 0; at < 3; at++) {
        here.text.insert(0, 'x');
        await here.sent();
      }
      const there = await opening;
      await eventually(() => expect(there.text.length).toBe(4), SOON_MS);
    }
  }, 60_000);

  it("accept a user's edits from a client that saw them at the other process, and nobody else's", async () => {
    const [here, there] = await onBoth('moved');
    const eve = await userToken(one, 'eve', { accessRole: 'editor' });
    here.text.insert(0, 'ada');
    await here.sent();
    // Eve received it at one process, and sends it to the other.
    const copy = new Y.Doc();
    Y.applyUpdate(copy, Y.encodeStateAsUpdate(here.doc));
    const moving = await openEditor({
      url: two.url,
      name: 'acme/plan/moved',
      token: eve,
      doc: copy,
    });
    moving.text.insert(3, ', eve');
    await moving.sent();
    expect(moving.refusals).toEqual([]);
    await eventually(() => {
      expect(there.text.toString()).toBe('ada, eve');
      expect(here.text.toString()).toBe('ada, eve');
    }, SOON_MS);
  });
});
