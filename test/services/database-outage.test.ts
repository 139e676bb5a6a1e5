import { beforeEach, expect, it } from 'vitest';
import { fresh } from '../support/answers.ts';
import { databaseClient } from '../support/database-client.ts';
import { type Editor, planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { holdTransaction } from '../support/hold-transaction.ts';
import { createNetwork } from '../support/network.ts';
import { createDatabase } from '../support/server.ts';
import { storedEditor } from '../support/stored-editor.ts';

/** Longer than clients, pools and jobs wait for anything. */
const AWAY_MS = 30_000;
let editorId: string;
const databaseUrl = await createDatabase();
const database = await createNetwork(databaseUrl);
const plan = await planServer({ DATABASE_URL: database.url });
const { server } = plan;
beforeEach(() => {
  editorId = fresh('body');
});

const open = (id = editorId) => plan.open(id);
const write = (verb: 'add' | 'update', data: string) =>
  plan.call(verb, { editorId, type: 'text', data });
const type = (editor: Editor, letters: string) => editor.text.insert(editor.text.length, letters);
const metric = async (name: string) => {
  const text = await server.app.services.metrics.registry.getSingleMetricAsString(name);
  return Number(text.trim().split(' ').at(-1));
};

async function storedUpdates(): Promise<number> {
  return (await storedEditor(await databaseClient(databaseUrl), editorId)).version;
}

// It comes first, since documents that REST edited stay open for a while.
it('during a database outage, editors continue with unsaved edits, and a document without editors waits in memory', async () => {
  const leaving = [await open('left'), await open('left')] as const;
  const [one, two] = [await open(), await open()];
  for (const editor of [leaving[0], one]) type(editor, 'before');
  await Promise.all([...leaving, one, two].map((editor) => editor.sent()));
  const before = await storedUpdates();
  database.cut();
  const cutAt = Date.now();
  type(leaving[0], ', during');
  await eventually(() => expect(leaving[1].text.toString()).toBe('before, during'));
  const openBefore = await metric('live_documents');
  for (const editor of leaving) editor.leave();
  await eventually(async () => expect(await metric('live_connections')).toBe(2));
  while (Date.now() < cutAt + AWAY_MS) {
    type(one, '.');
    await eventually(() => expect(two.text.toString()).toBe(one.text.toString()));
    expect(one.provider.hasUnsyncedChanges).toBe(true);
    expect(two.provider.hasUnsyncedChanges).toBe(false);
    expect(await metric('live_documents')).toBe(openBefore);
  }
  expect(await storedUpdates()).toBe(before);
  database.mend();
  await eventually(() => expect(one.provider.hasUnsyncedChanges).toBe(false));
  expect(await storedUpdates()).toBeGreaterThan(before);
  expect([one.refusals, two.refusals]).toEqual([[], []]);
  expect((await open()).text.toString()).toBe(one.text.toString());
  await eventually(async () => expect(await metric('live_documents')).toBe(openBefore - 1));
  expect((await open('left')).text.toString()).toBe('before, during');
});

it('a REST edit is received by nobody before it is stored', async () => {
  await write('add', 'one');
  const editor = await open();
  const holder = await lockEditor();
  const answer = write('update', 'two');
  await holder.holdsUp(1);
  type(editor, '!');
  const late = open();
  await pause();
  expect(editor.text.toString()).toBe('one!');
  expect(await Promise.race([late, 'unsynced'])).toBe('unsynced');
  await holder.release();
  await answer;
  await eventually(() => expect(editor.text.toString()).toMatch(/^(two!|!two)$/));
  const { text } = await late;
  await eventually(() => expect(`${text}`).toBe(`${editor.text}`));
});

/** Takes long enough for a call about other content to be answered twice. */
const pause = async () => {
  for (const _ of [1, 2]) await plan.call('get', { editorId: fresh('missing') });
};

/** Locks the row of the editor, so that nothing is stored before the release. */
const lockEditor = () => {
  const statement = 'SELECT 1 FROM crdt_documents WHERE editor_id = $1 FOR UPDATE';
  return holdTransaction(databaseUrl, statement, [editorId]);
};

it('a REST edit without changes is answered once earlier edits are stored', async () => {
  await write('add', 'one');
  const [editor, witness] = [await open(), await open()];
  const holder = await lockEditor();
  type(editor, ' two');
  await eventually(() => expect(witness.text.toString()).toBe('one two'));
  let isAnswered = false;
  const answer = write('update', 'one two').then(() => {
    isAnswered = true;
  });
  await pause();
  expect(isAnswered).toBe(false);
  expect(editor.provider.hasUnsyncedChanges).toBe(true);
  await holder.release();
  await answer;
  expect(await storedUpdates()).toBe(2);
});
