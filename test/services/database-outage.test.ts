import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Editor, makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { holdTransaction } from '../support/hold-transaction.ts';
import { createNetwork } from '../support/network.ts';
import { createDatabase, startTestServer } from '../support/server.ts';
import { storedEditor } from '../support/stored-editor.ts';

/** Longer than clients, pools and jobs wait for anything. */
const AWAY_MS = 30_000;
let count = 0;
let editorId: string;
const databaseUrl = await createDatabase();
const database = await createNetwork(databaseUrl);
const server = await startTestServer({ DATABASE_URL: database.url });
await makePlan(server);
const token = await userToken(server, 'ada', { accessRole: 'editor' });
beforeEach(() => {
  count++;
  editorId = `body-${count}`;
});

const open = () => openEditor({ url: server.url, name: `acme/plan/${editorId}`, token });
const content = (data: string) => ({
  organizationId: 'acme',
  documentId: 'plan',
  editorId,
  type: 'text',
  data,
});
const type = (editor: Editor, letters: string) => editor.text.insert(editor.text.length, letters);
const metric = async (name: string) => {
  const text = await server.app.services.metrics.registry.getSingleMetricAsString(name);
  return Number(text.trim().split(' ').at(-1));
};

async function storedUpdates(): Promise<number> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await storedEditor(client, editorId)).version;
  } finally {
    await client.end();
  }
}

describe('during a database outage', () => {
  // It comes first, since documents that REST edited stay open for a while.
  it('a document without editors stays in memory until it is stored', async () => {
    const editor = await open();
    type(editor, 'a');
    await editor.sent();
    const witness = await open();
    database.cut();
    const cutAt = Date.now();
    type(editor, 'b');
    await eventually(() => expect(witness.text.toString()).toBe('ab'));
    const openBefore = await metric('live_documents');
    for (const { provider } of [editor, witness]) {
      provider.configuration.websocketProvider.destroy();
      provider.destroy();
    }
    await eventually(async () => expect(await metric('live_connections')).toBe(0));
    while (Date.now() < cutAt + AWAY_MS) {
      expect(await metric('live_documents')).toBe(openBefore);
      await sleep(50);
    }
    database.mend();
    await eventually(async () => expect(await metric('live_documents')).toBe(0));
    const again = await open();
    expect(again.text.toString()).toBe('ab');
  });

  it('editors continue, see that their edits are unsaved, and see them saved afterwards', async () => {
    const [one, two] = [await open(), await open()];
    type(one, 'before');
    await Promise.all([one.sent(), two.sent()]);
    const before = await storedUpdates();
    database.cut();
    const cutAt = Date.now();
    while (Date.now() < cutAt + AWAY_MS) {
      type(one, '.');
      await eventually(() => expect(two.text.toString()).toBe(one.text.toString()));
      expect(one.provider.hasUnsyncedChanges).toBe(true);
      expect(two.provider.hasUnsyncedChanges).toBe(false);
    }
    expect(await storedUpdates()).toBe(before);
    database.mend();
    await eventually(() => expect(one.provider.hasUnsyncedChanges).toBe(false));
    expect(await storedUpdates()).toBeGreaterThan(before);
    expect([one.refusals, two.refusals]).toEqual([[], []]);
    expect((await open()).text.toString()).toBe(one.text.toString());
  });
});

it('a REST edit is received by nobody before it is stored', async () => {
  await server.call('/v2/crdt/add', content('one'));
  const editor = await open();
  const holder = await lockEditor();
  const answer = server.call('/v2/crdt/update', content('two'));
  await eventually(async () => {
    const { body } = await server.call('/v2/crdt/get', content(''));
    expect(body.result.data[0].data).toBe('two');
  });
  type(editor, '!');
  const late = openEditor({ url: server.url, name: `acme/plan/${editorId}`, token });
  await server.call('/v2/crdt/get', content(''));
  expect(editor.text.toString()).toBe('one!');
  expect(await Promise.race([late, 'unsynced'])).toBe('unsynced');
  await holder.release();
  expect((await answer).status).toBe(200);
  await eventually(() => expect(editor.text.toString()).toMatch(/^(two!|!two)$/));
  const { text } = await late;
  await eventually(() => expect(`${text}`).toBe(`${editor.text}`));
});

/** Locks the row of the editor, so that nothing is stored before the release. */
const lockEditor = () => {
  const statement = 'SELECT 1 FROM crdt_documents WHERE editor_id = $1 FOR UPDATE';
  return holdTransaction(databaseUrl, statement, [editorId]);
};

it('a REST edit without changes is answered once earlier edits are stored', async () => {
  await server.call('/v2/crdt/add', content('one'));
  const [editor, witness] = [await open(), await open()];
  const holder = await lockEditor();
  type(editor, ' two');
  await eventually(() => expect(witness.text.toString()).toBe('one two'));
  const answers: number[] = [];
  const answer = server.call('/v2/crdt/update', content('one two')).then(({ status }) => {
    answers.push(status);
  });
  // Long enough for the same call to be answered if nothing waits.
  await server.call('/v2/crdt/get', content(''));
  await server.call('/v2/crdt/get', content(''));
  expect(answers).toEqual([]);
  expect(editor.provider.hasUnsyncedChanges).toBe(true);
  await holder.release();
  await answer;
  expect(answers).toEqual([200]);
  expect(await storedUpdates()).toBe(2);
});
