import { beforeEach, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { frameUpdate } from '../../src/features/crdt/log/update-framing.ts';
import { fresh } from '../support/answers.ts';
import { connect, type Editor, editorsOf, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { createNetwork } from '../support/network.ts';
import { startTestServer } from '../support/server.ts';
import { storedEditor } from '../support/stored-editor.ts';

type User = 'ada' | 'bob' | 'eve';
let editorId: string;
const one = await startTestServer();
/**
 * A second process on the same database, or the first after a restart. It has nothing in memory.
 */
const two = await startTestServer({ DATABASE_URL: one.databaseUrl });
const { call } = await editorsOf(one);
const tokenOf = (userId: User) => userToken(one, userId, { accessRole: 'editor' });
const tokens = { ada: await tokenOf('ada'), bob: await tokenOf('bob'), eve: await tokenOf('eve') };
beforeEach(() => {
  editorId = fresh('body');
});

const optionsOf = (userId: User, server = one, doc = new Y.Doc()) => ({
  url: server.url,
  name: `acme/plan/${editorId}`,
  token: tokens[userId],
  doc,
});
const open = (userId: User, server = one) => openEditor(optionsOf(userId, server));
/** An editor of Ada, with which she has written this. */
async function openAda(words: string): Promise<Editor> {
  const ada = await open('ada');
  ada.text.insert(0, words);
  await ada.sent();
  return ada;
}
const stored = async () => (await call('get', { editorId }))[0];
const storedText = async () => (await stored())?.data;

/** An update that deletes the next ten items of a Yjs client, without leaving content. */
function nothingOf(doc: Y.Doc, client: number): Uint8Array {
  const clock = Y.getState(doc.store, client);
  const encoder = new Y.UpdateEncoderV1();
  encoder.writeLen(1);
  encoder.writeLen(1);
  encoder.writeClient(client);
  encoder.writeLen(clock);
  new Y.GC(Y.createID(client, clock), 10).write(encoder, 0);
  encoder.writeLen(0);
  return encoder.toUint8Array();
}

/** Lets an editor write with the Yjs client of another user, for which it is refused. */
async function expectRefused({ doc, refusals }: Editor, client: number): Promise<void> {
  Y.applyUpdate(doc, nothingOf(doc, client));
  await eventually(() => expect(refusals).toEqual(['PERMISSION_DENIED']));
}

describe('a Yjs client id belongs to the first user who wrote with it', () => {
  it('it stays theirs while they are away, and their offline edits are accepted later', async () => {
    const ada = await openAda('before');
    ada.leave();
    ada.text.insert(6, ', offline');
    const eve = await open('eve', two);
    await expectRefused(eve, ada.doc.clientID);
    const back = await openEditor(optionsOf('ada', two, ada.doc));
    back.text.insert(back.text.length, ', after');
    await back.sent();
    expect(back.refusals).toEqual([]);
    await eventually(async () => expect(await storedText()).toBe('before, offline, after'));
  });

  it('an update of another user with it is refused as a whole, and its owner continues', async () => {
    const ada = await openAda('ada');
    const eve = await open('eve');
    const own = new Y.Doc();
    own.getText('content').insert(0, 'eve');
    const forged = nothingOf(ada.doc, ada.doc.clientID);
    Y.applyUpdate(eve.doc, Y.mergeUpdates([Y.encodeStateAsUpdate(own), forged]));
    await eventually(() => expect(eve.refusals).toEqual(['PERMISSION_DENIED']));
    ada.text.insert(3, ', and more');
    await ada.sent();
    await eventually(async () => expect(await storedText()).toBe('ada, and more'));
    expect(Y.getState(ada.doc.store, own.clientID)).toBe(0);
    expect(ada.refusals).toEqual([]);
  });

  it('the id of a connected client that has not written yet is reserved for its user', async () => {
    const ada = await open('ada');
    ada.provider.setAwarenessField('user', { id: 'ada' });
    const eve = await open('eve');
    await eventually(() => expect(eve.states().has(ada.doc.clientID)).toBe(true));
    await expectRefused(eve, ada.doc.clientID);
    ada.text.insert(0, 'first');
    await ada.sent();
    expect(ada.refusals).toEqual([]);
  });

  it('anybody may send items that the server already has, and deletions', async () => {
    const ada = await openAda('shared');
    const copy = new Y.Doc();
    Y.applyUpdate(copy, Y.encodeStateAsUpdate(ada.doc));
    copy.getText('content').delete(0, 3);
    const eve = await openEditor(optionsOf('eve', two, copy));
    eve.text.insert(0, 'as');
    await eve.sent();
    expect(eve.refusals).toEqual([]);
    await eventually(async () => expect(await storedText()).toBe('asred'));
  });

  it('the ids that the server writes with belong to nobody', async () => {
    await call('add', { editorId, type: 'text', data: 'one' });
    const eve = await open('eve');
    await call('update', { editorId, type: 'text', data: 'one two' });
    await eventually(() => expect(eve.text.toString()).toBe('one two'));
    for (const client of eve.doc.store.clients.keys()) {
      await expectRefused(await open('eve'), client);
    }
    expect(await storedText()).toBe('one two');
  });

  it('an id from before ids had owners goes to the next user who writes with it', async () => {
    const ada = await openAda('before');
    ada.leave();
    await one.app.services.db.pool.query(
      `DELETE FROM crdt_clients /* all tenants */ WHERE log_id =
         (SELECT log_id FROM crdt_documents WHERE editor_id = $1)`,
      [editorId],
    );
    ada.text.insert(6, ', after');
    const back = connect(optionsOf('ada', two, ada.doc));
    await back.sent();
    const eve = await open('eve', two);
    await expectRefused(eve, ada.doc.clientID);
    expect(await storedText()).toBe('before, after');
  });
});

describe('when two users write with one Yjs client id at two processes at the same time', () => {
  const takeClient = (editor: Editor, client: number) => {
    editor.doc.clientID = client;
    editor.text.insert(0, `${client} `);
  };

  it('the second is refused, and all others continue and converge', async () => {
    const bystanders = [
      await openEditor(optionsOf('bob', one)),
      await openEditor(optionsOf('bob', two)),
    ];
    const [ada, eve] = [await open('ada', one), await open('eve', two)];
    takeClient(ada, 77);
    takeClient(eve, 77);
    const [winner, forger] = await eventually(() => {
      for (const { text } of [ada, eve]) text.insert(0, 'x');
      const refused = [ada, eve].filter(({ refusals }) => refusals.length > 0);
      expect(refused).toHaveLength(1);
      return refused[0] === eve ? [ada, eve] : [eve, ada];
    });
    expect(forger.refusals).toEqual(['PERMISSION_DENIED']);
    for (const { text } of bystanders) text.insert(text.length, 'bob ');
    await Promise.all([winner, ...bystanders].map((editor) => editor.sent()));
    const kept = [winner, ...bystanders];
    await eventually(async () => {
      const text = await storedText();
      expect(kept.map((editor) => editor.text.toString())).toEqual(kept.map(() => text));
      expect(text.match(/77|bob/g)?.sort()).toEqual(['77', 'bob', 'bob']);
    });
    expect(kept.flatMap(({ refusals }) => refusals)).toEqual([]);
  });

  it('during a database outage, the second is refused later, and the others reconnect', async () => {
    const network = await createNetwork(one.databaseUrl);
    const three = await startTestServer({ DATABASE_URL: network.url });
    const [ada, eve] = [await open('ada', one), await open('eve', three)];
    const bystander = await openEditor(optionsOf('bob', three));
    network.cut();
    takeClient(eve, 78);
    await eventually(() => expect(bystander.text.toString()).toBe('78 '));
    takeClient(ada, 78);
    await ada.sent();
    network.mend();
    await eventually(() => expect(eve.refusals).toEqual(['PERMISSION_DENIED']));
    await eventually(() => expect(bystander.provider.synced).toBe(true));
    await eventually(() => expect(bystander.refusals).toContain('UNAVAILABLE'));
    await bystander.sent();
    expect(bystander.refusals).not.toContain('PERMISSION_DENIED');
  });
});

it.each([
  ['an insertion', (text: Y.Text) => text.insert(8, 'bob')],
  ['a deletion', (text: Y.Text) => text.delete(7, 2)],
])(
  '%s is acknowledged only once it is stored, also if it waited for an edit of another user that was stored elsewhere',
  async (_, edit) => {
    const ada = await openAda('of ada');
    const watcher = await open('bob');
    ada.leave();
    const known = Y.encodeStateVector(ada.doc);
    ada.text.insert(6, ', stored');
    // Another process stores the edit, and this one has not heard of it.
    await one.app.services.db.pool.query(
      `INSERT INTO crdt_updates (tenant_id, log_id, first_version, version, created_at, user_id, updates)
     SELECT tenant_id, log_id, 2, 2, now(), 'ada', $2 FROM crdt_documents /* all tenants */ WHERE editor_id = $1`,
      [editorId, frameUpdate(Y.encodeStateAsUpdate(ada.doc, known))],
    );
    const copy = new Y.Doc();
    Y.applyUpdate(copy, Y.encodeStateAsUpdate(ada.doc));
    edit(copy.getText('content'));
    const bob = connect(optionsOf('bob', one, copy));
    await bob.sent(15_000);
    const { doc } = await storedEditor(one.app.services.db.pool, editorId);
    expect(doc.getText('content').toString()).toBe(bob.text.toString());
    expect(await stored()).toMatchObject({ lastUpdatedBy: 'bob' });
    await eventually(() => expect(watcher.text.toString()).toBe(bob.text.toString()));
  },
);

it('edits that another process stores are stored once, by their author, although an edit refers to nothing and waits for good', async () => {
  const eve = await open('eve');
  const unfinished = new Y.Doc();
  unfinished.getText('content').insert(0, 'missing');
  const known = Y.encodeStateVector(unfinished);
  unfinished.getText('content').insert(7, 'waiting');
  const unread = new Y.Transaction(eve.doc, 'eve', true);
  eve.doc.emit('update', [Y.encodeStateAsUpdate(unfinished, known), 'eve', eve.doc, unread]);
  const ada = await open('ada', two);
  for (let typed = 0; typed < 5; typed++) {
    ada.text.insert(0, 'a');
    await ada.sent();
    await eventually(() => expect(eve.text).toHaveLength(typed + 1));
  }
  // Edits are stored in the order of their arrival, so those of Ada would be stored again before this one.
  eve.text.insert(0, 'e');
  await eventually(() => expect(ada.text).toHaveLength(6));
  ada.text.insert(0, 'a');
  await ada.sent();
  expect(await stored()).toMatchObject({ version: 7, lastUpdatedBy: 'ada' });
});

it('of a state with edits in the name of another user, only the own edits are stored', async () => {
  const ada = await openAda('of ada');
  ada.leave();
  const state = Y.encodeStateAsUpdate(ada.doc);
  const [forged, eve] = [new Y.Doc(), new Y.Doc()];
  Y.applyUpdate(forged, state);
  forged.clientID = ada.doc.clientID;
  forged.getText('content').insert(6, ', forged');
  Y.applyUpdate(eve, Y.encodeStateAsUpdate(forged));
  eve.getText('content').insert(0, 'eve ');
  const forger = connect(optionsOf('eve', two, eve));
  await eventually(() => expect(forger.refusals).toContain('UNAVAILABLE'));
  forger.leave();
  await eventually(async () => expect(await storedText()).toBe('eve of ada'));
  // The true edit of the author has the clock of the forged one, and is taken.
  const back = connect(optionsOf('ada', one, ada.doc));
  ada.text.insert(6, ', true');
  await back.sent();
  await eventually(async () => expect(await storedText()).toBe('eve of ada, true'));
});

it('two users who hold unsaved edits of each other, as after a crash, both connect', async () => {
  const [ada, bob] = [new Y.Doc(), new Y.Doc()];
  const write = (author: Y.Doc, other: Y.Doc, word: string) => {
    author.getText('content').insert(author.getText('content').length, word);
    Y.applyUpdate(other, Y.encodeStateAsUpdate(author));
  };
  const before = { ada: optionsOf('ada', one, ada), bob: optionsOf('bob', one, bob) };
  for (const [userId, options] of Object.entries(before)) {
    const { text, sent, leave } = await openEditor(options);
    text.insert(0, `${userId}, `);
    await sent();
    leave();
  }
  Y.applyUpdate(ada, Y.encodeStateAsUpdate(bob));
  write(ada, bob, 'one ');
  write(bob, ada, 'two ');
  write(ada, bob, 'three');
  const back = [connect(optionsOf('ada', two, ada)), connect(optionsOf('bob', two, bob))];
  for (const { sent } of back) await sent(15_000);
  expect(back.flatMap(({ refusals }) => refusals)).toEqual([]);
  const stored = 'bob, ada, one two three';
  await eventually(async () => expect(await storedText()).toBe(stored));
  expect(back.map(({ text }) => text.toString())).toEqual([stored, stored]);
});
