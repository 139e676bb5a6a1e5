import { expect, it } from 'vitest';
import { planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { holdTransaction } from '../support/hold-transaction.ts';
import { startTestServer } from '../support/server.ts';

it('a stopping server loses nothing that it confirmed, and continues after a restart', async () => {
  const { server: first, open } = await planServer();
  const editor = await open('body');
  const witness = await open('body');
  const type = (letter: string) => {
    editor.text.insert(editor.text.length, letter);
    return eventually(() => expect(witness.text.toString()).toBe(editor.text.toString()));
  };
  await type('a');
  await editor.sent();
  const lockRow = 'SELECT 1 FROM crdt_documents FOR UPDATE';
  const holder = await holdTransaction(first.databaseUrl, lockRow);
  await eventually(async () => expect((await holder.query(lockRow)).rowCount).toBe(1));
  // The commit of the first letter waits for the row lock, and the other letters wait for this commit.
  for (const letter of 'bcd') await type(letter);
  expect(editor.provider.hasUnsyncedChanges).toBe(true);
  const stopped = first.app.stop();
  await eventually(() => expect(editor.provider.synced).toBe(false));
  // Only the server can restore this content.
  for (const each of [editor, witness]) each.leave();
  await holder.release();
  await stopped;
  const second = await startTestServer({ DATABASE_URL: first.databaseUrl });
  const reader = await open('body', { at: second });
  expect(reader.text.toString()).toBe('abcd');
});
