import { Redis } from 'ioredis';
import { describe, expect, inject, it } from 'vitest';
import * as Y from 'yjs';
import { keyOf } from '../../src/realtime/document-names.ts';
import {
  decodeMessage,
  encodeMessage,
  type PeerMessage,
} from '../../src/realtime/peers/peer-message.ts';
import { fresh } from '../support/answers.ts';
import { type Editor, planServer } from '../support/editors.ts';
import { eventually, SOON_MS } from '../support/eventually.ts';
import { createNetwork } from '../support/network.ts';
import { startTestServer } from '../support/server.ts';
import { refuseStatements } from '../support/statements.ts';
import { storedEditor } from '../support/stored-editor.ts';
import { whenFileEnds, whenTestEnds } from '../support/when-file-ends.ts';

const REDIS_URL = inject('redisUrl') ?? '';
const redis = new Redis(REDIS_URL);
whenFileEnds(() => redis.disconnect());
const { server: one, call, open, contentOf } = await planServer({ REDIS_URL });
const two = await startTestServer({ REDIS_URL, DATABASE_URL: one.databaseUrl });
/** A process that cannot write to the log, as if it had died. */
const broken = await startTestServer(
  { REDIS_URL, DATABASE_URL: one.databaseUrl },
  {
    onDatabase: ({ pool }) =>
      refuseStatements(pool, (text) => text.includes('INSERT INTO crdt_updates')),
  },
);

/** What tells another process about an update of an editor: the message, and the way to send it. */
function peerOf(editorId: string) {
  const { apiKey: tenantId } = one.quickstart;
  const key = keyOf({ tenantId, organizationId: 'acme', documentId: 'plan', editorId });
  return {
    messageOf: (content: Uint8Array) =>
      encodeMessage({ kind: 'update', key, sender: 'another', content }),
    send: (message: Buffer) => redis.publish(`collaboration:document:${key}`, message),
  };
}

describe('two processes', () => {
  it("each write their own editors' updates to the log, and none twice", async () => {
    const [here, there] = [await open('once'), await open('once', { at: two })];
    for (let at = 0; at < 20; at++) {
      here.text.insert(0, 'h');
      there.text.insert(there.text.length, 't');
    }
    await eventually(() => {
      expect(here.text.toString()).toHaveLength(40);
      expect(there.text.toString()).toBe(here.text.toString());
    });
    await eventually(async () => {
      expect((await storedEditor(one.app.services.db.pool, 'once')).version).toBe(40);
    });
  });

  it('exchange an edit of many thousand words, and what is typed right after it, which takes longer to apply', async () => {
    const [here, there] = [await open('large'), await open('large', { at: two })];
    here.doc.transact(() => {
      for (let at = 0; at < 20_000; at++) here.text.insert(0, `word ${at} `);
    });
    for (let at = 0; at < 20; at++) {
      here.text.insert(here.text.length, 'typed ');
      await here.sent();
    }
    await eventually(() => expect(there.text.toString()).toBe(here.text.toString()));
    there.text.insert(0, 'after that, ');
    await eventually(() => expect(here.text.toString()).toBe(there.text.toString()));
  });

  it('send a large edit once, and not again when they have received it', async () => {
    const listener = redis.duplicate();
    whenTestEnds(() => listener.disconnect());
    const sent: PeerMessage[] = [];
    listener.on('pmessageBuffer', (_pattern, _channel, message: Buffer) =>
      sent.push(decodeMessage(message)),
    );
    await listener.psubscribe('collaboration:document:*');
    const [here, ...others] = [
      await open('sent-once'),
      await open('sent-once', { at: two }),
      await open('sent-once', { at: broken }),
    ];
    const pasted = 'a long text '.repeat(20_000);
    here.text.insert(0, pasted);
    await eventually(() => {
      for (const { text } of others) expect(text).toHaveLength(pasted.length);
    });
    // Messages of a process arrive in order, so those about the large edit have come before these.
    for (const [at, { text }] of others.entries()) text.insert(0, `${at}`);
    await eventually(() => expect(here.text).toHaveLength(pasted.length + others.length));
    const updates = sent.filter(({ kind }) => kind === 'update');
    expect(updates.filter(({ content }) => content.length > pasted.length)).toHaveLength(1);
  });

  it.each([
    ['at once', (messages: Buffer[]) => messages],
    ['in another order', (messages: Buffer[]) => messages.toReversed()],
  ])('let editors type while large edits of another process arrive %s', async (_, ordered) => {
    const editorId = fresh('arriving');
    const there = await open(editorId, { at: two });
    there.text.insert(0, '.');
    await there.sent();
    const { messageOf, send } = peerOf(editorId);
    const elsewhere = new Y.Doc();
    const messages: Buffer[] = [];
    elsewhere.on('update', (content) => messages.push(messageOf(content)));
    const text = elsewhere.getText('content');
    for (let at = 0; at < 4; at++) text.insert(text.length, 'a long text '.repeat(70_000));
    await Promise.all(ordered(messages).map(send));
    for (let typed = 0; typed < 30; typed++) {
      there.text.insert(0, '.');
      await there.sent();
    }
    await eventually(() => expect(there.text).toHaveLength(text.length + 31));
    expect(there.refusals).toEqual([]);
  });

  it('neither delete nor repeat an edit that is not stored yet when content is replaced for a version', async () => {
    const editorId = fresh('for-a-version');
    await call('add', { editorId, type: 'text', data: 'one' });
    const [here, there] = [await open(editorId), await open(editorId, { at: broken })];
    const [{ version: ifVersion }] = await call('get', { editorId });
    there.text.insert(0, 'typed, ');
    await eventually(() => expect(here.text.toString()).toBe('typed, one'));
    await call('update', { editorId, type: 'text', data: 'one, two', ifVersion });
    await eventually(() => {
      for (const { text } of [here, there]) expect(text.toString()).toBe('typed, one, two');
    });
    expect(await contentOf(editorId)).toBe('one, two');
  });

  it('do not take deleted content from a process that has not noticed its deletion', async () => {
    const editorId = 'deleted';
    const editor = await open(editorId);
    editor.text.insert(0, 'deleted');
    await editor.sent();
    await call('delete', { editorId });
    await eventually(() => expect(editor.refusals).toContain('NOT_FOUND'));
    const next = await open(editorId);
    const elsewhere = new Y.Doc();
    elsewhere.getText('content').insert(0, 'new');
    const { messageOf, send } = peerOf(editorId);
    for (const doc of [editor.doc, elsewhere]) await send(messageOf(Y.encodeStateAsUpdate(doc)));
    await eventually(() => expect(next.text.toString()).toBe('new'));
  });

  it('show content that one adds while the other, far from Redis, opens the document', async () => {
    const line = await createNetwork(REDIS_URL);
    const far = await startTestServer({ REDIS_URL: line.url, DATABASE_URL: one.databaseUrl });
    await open('warm', { at: far });
    line.stall();
    const editorId = fresh('just-opened');
    const editor = await open(editorId, { at: far });
    await call('add', { editorId, type: 'text', data: 'added' });
    line.mend();
    await eventually(() => expect(editor.text.toString()).toBe('added'), SOON_MS);
    await far.app.stop();
  });

  it('give each other the content and users of a document that one of them opens late', async () => {
    const editor = await open('late', { at: broken });
    editor.text.insert(0, 'not stored');
    editor.provider.setAwarenessField('cursor', 'shown');
    const other = await open('late', { at: broken });
    await eventually(() => expect(other.text.toString()).toBe('not stored'));
    const there = await open('late', { at: two });
    await eventually(() => {
      expect(there.text.toString()).toBe('not stored');
      expect(JSON.stringify([...there.states()])).toContain('shown');
    });
  });

  it('store for each other what one of them could not', async () => {
    const there = await open('orphan', { at: two });
    const editor = await open('orphan', { at: broken });
    editor.text.insert(0, 'shown, and not stored');
    await eventually(() => expect(there.text.toString()).toBe('shown, and not stored'));
    for (const each of [editor, there]) each.leave();
    await eventually(async () => expect(await contentOf('orphan')).toBe('shown, and not stored'));
    const [stored] = await call('get', { editorId: 'orphan' });
    expect(stored.lastUpdatedBy).toBe('ada');
  });

  it('store a deletion for each other too, and confirm adopted edits once stored', async () => {
    await call('add', { editorId: 'taken-over', type: 'text', data: 'to be deleted' });
    const proxy = await createNetwork(broken.url);
    const there = await open('taken-over', { at: two });
    const moving = await open('taken-over', { at: proxy });
    moving.text.delete(0, 6);
    await eventually(() => expect(there.text.toString()).toBe('deleted'));
    expect(moving.provider.hasUnsyncedChanges).toBe(true);
    proxy.forwardTo(two.url);
    proxy.breakAll();
    await moving.sent();
    const { doc, version } = await storedEditor(one.app.services.db.pool, 'taken-over');
    expect([doc.getText('content').toString(), version]).toEqual(['deleted', 2]);
  });

  it('show each other at once that the last editor of one of them has left', async () => {
    const watcher = await open('left', { at: two });
    const editor = await open('left');
    editor.provider.setAwarenessField('cursor', 'shown');
    const shown = () => JSON.stringify([...watcher.states()]);
    await eventually(() => expect(shown()).toContain('shown'));
    editor.leave();
    await eventually(() => expect(shown()).not.toContain('shown'), SOON_MS);
  });

  it('keep showing an editor who moved from one to the other before the old connection ended', async () => {
    const [here, there] = [await open('moved'), await open('moved', { at: two })];
    const before = await open('moved');
    for (const { provider } of [here, before]) provider.setAwarenessField('user', { color: 'old' });
    const shown = (watcher: Editor) => JSON.stringify([...watcher.states()]);
    await eventually(() => expect(shown(there).match(/old/g)).toHaveLength(2));
    const after = await open('moved', { at: two, doc: before.doc });
    for (const color of ['red', 'blue', 'new']) after.provider.setAwarenessField('user', { color });
    await eventually(() => expect(shown(here)).toContain('new'));
    const removed: number[] = [];
    there.provider.awareness?.on('change', (change: { removed: number[] }) =>
      removed.push(...change.removed),
    );
    before.leave();
    here.leave();
    await eventually(() => expect(removed).toContain(here.doc.clientID), SOON_MS);
    expect(removed).not.toContain(before.doc.clientID);
  });
});
