import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Editor, makePlan, openEditor, userToken } from '../../support/editors.ts';
import { eventually } from '../../support/eventually.ts';
import { testServer } from '../../support/server.ts';

const server = testServer();
let count = 0;
let editor: { organizationId: string; documentId: string; editorId: string };
beforeAll(async () => {
  await makePlan(server);
});
beforeEach(() => {
  editor = { organizationId: 'acme', documentId: 'plan', editorId: `body-${++count}` };
});

const call = (verb: string, more = {}, headers = server.keyHeaders) =>
  server.call(`/v2/crdt/${verb}`, { ...editor, ...more }, headers);
const content = async () => (await call('get')).body.result.data[0];
const versionOf = async (): Promise<number> => (await content()).version;
const as = async (userId: string, accessRole: 'viewer' | 'editor') => ({
  authorization: `Bearer ${await userToken(server, userId, { accessRole })}`,
});
const open = async (userId = 'ed'): Promise<Editor> =>
  openEditor({
    url: server.url,
    name: `acme/plan/${editor.editorId}`,
    token: await userToken(server, userId, { accessRole: 'editor' }),
  });

describe('the version of CRDT data', () => {
  it('grows with every change, and with nothing else', async () => {
    await call('add', { type: 'text', data: 'one' });
    expect(await versionOf()).toBe(1);
    await call('update', { type: 'text', data: 'one' });
    expect(await versionOf()).toBe(1);
    await call('update', { type: 'text', data: 'two' });
    expect(await versionOf()).toBe(2);
    const { text, sent } = await open();
    text.insert(0, 'x');
    await sent();
    await eventually(async () => expect(await versionOf()).toBe(3));
  });

  it('makes an update conditional on the expected version', async () => {
    await call('add', { type: 'text', data: 'one' });
    const { text } = await open();
    const ok = await call('update', { type: 'text', data: 'one two', ifVersion: 1 });
    expect(ok.status).toBe(200);
    await eventually(() => expect(text.toString()).toBe('one two'));
    const late = await call('update', { type: 'text', data: 'three', ifVersion: 1 });
    expect(late.body.error).toMatchObject({ status: 'ABORTED', code: 409 });
    expect(text.toString()).toBe('one two');
    expect(await content()).toMatchObject({ data: 'one two', version: 2 });
  });

  it('counts edits that are not stored yet', async () => {
    await call('add', { type: 'text', data: 'one' });
    const { text, sent } = await open();
    text.insert(3, '!');
    await sent();
    const late = await call('update', { type: 'text', data: 'two', ifVersion: 1 });
    expect(late.body.error.status).toBe('ABORTED');
    expect((await content()).data).toBe('one!');
  });

  it('lets exactly one of many conditional updates succeed', async () => {
    await call('add', { type: 'map', data: { n: 0 } });
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => call('update', { type: 'map', data: { n }, ifVersion: 1 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(await versionOf()).toBe(2);
  });
});

describe('crdt/versions', () => {
  const create = async (name?: string) =>
    (await call('versions/create', { name })).body.result.data;

  it('are listed newest first, a page at a time', async () => {
    await call('add', { type: 'text', data: 'one' });
    const made = [await create('first'), await create(), await create('third')];
    expect(made[0]).toMatchObject({ name: 'first', version: 1, createdBy: null });
    const { body } = await call('versions/list', { pageSize: 2 });
    expect(body.result.data).toEqual([made[2], made[1]]);
    const { nextPageToken: pageToken } = body.result;
    const next = await call('versions/list', { pageSize: 2, pageToken });
    expect(next.body.result.data).toEqual([made[0]]);
    expect(next.body.result.nextPageToken).toBeUndefined();
  });

  it('are restored by a change that keeps concurrent edits and can be reverted itself', async () => {
    await call('add', { type: 'xml', data: '<p>one</p><p>two <b>bold</b></p>' });
    const first = await create();
    await call('update', { type: 'xml', data: '<h level="1">new</h><p>one</p>' });
    const second = await create();
    const connected = await open();
    const restored = await call('versions/restore', { versionId: first.versionId });
    expect(restored.body.result).toEqual({
      status: 'success',
      message: 'CRDT version restored successfully.',
    });
    expect((await content()).data).toBe('<p>one</p><p>two <b>bold</b></p>');
    await eventually(() =>
      expect(connected.doc.getXmlFragment('default').toString()).toBe(
        '<p>one</p><p>two <b>bold</b></p>',
      ),
    );
    await call('versions/restore', { versionId: second.versionId });
    expect((await content()).data).toBe('<h level="{1}">new</h><p>one</p>');
  });

  it('include every root of the document, with text formats', async () => {
    const { doc, text, sent } = await open();
    doc.transact(() => {
      text.insert(0, 'plain bold');
      text.format(6, 4, { bold: true });
      doc.getMap('state').set('items', ['a', { b: 1 }]);
    });
    await sent();
    await eventually(async () => expect(await versionOf()).toBeGreaterThan(0));
    const { versionId } = await create();
    doc.transact(() => {
      text.delete(0, text.length);
      doc.getMap('state').clear();
      doc.getArray('later').push(['new']);
    });
    await sent();
    expect((await call('versions/restore', { versionId })).status).toBe(200);
    const formatted = [{ insert: 'plain ' }, { insert: 'bold', attributes: { bold: true } }];
    await eventually(() => expect(text.toDelta()).toEqual(formatted));
    expect(doc.getMap('state').toJSON()).toEqual({ items: ['a', { b: 1 }] });
    expect(doc.getArray('later').toJSON()).toEqual([]);
  });

  it('name the editor who created them', async () => {
    await call('add', { type: 'text', data: 'one' });
    const { body } = await call('versions/create', {}, await as('ed', 'editor'));
    expect(body.result.data.createdBy).toBe('ed');
  });

  it('that do not exist are not found', async () => {
    await call('add', { type: 'text', data: 'one' });
    const { body } = await call('versions/restore', { versionId: 'none' });
    expect(body.error.status).toBe('NOT_FOUND');
  });
});

describe('crdt/delete', () => {
  it('deletes the content with its versions, and publishes the change', async () => {
    await call('add', { type: 'text', data: 'one' });
    await call('versions/create');
    const { body } = await call('delete');
    expect(body.result).toEqual({
      status: 'success',
      message: 'CRDT data deleted successfully.',
    });
    expect((await call('get')).body.result?.data ?? []).toEqual([]);
    expect((await call('delete')).body.error.status).toBe('NOT_FOUND');
    const events = await server.call('/v2/events/get', { types: ['crdt.update_data'] });
    const own = events.body.result.data.events
      .map(({ data }: { data: { id: string } }) => data)
      .filter(({ id }: { id: string }) => id === editor.editorId);
    expect(own.at(-1)).toMatchObject({ data: null });
    expect((await call('add', { type: 'map', data: {} })).status).toBe(200);
    expect((await call('versions/list')).body.result.data).toEqual([]);
  });

  it('disconnects open editors, whose copies do not restore the content', async () => {
    await call('add', { type: 'text', data: 'old' });
    const stale = await open();
    await call('delete');
    await eventually(() => expect(stale.refusals).toContain('NOT_FOUND'));
    await call('add', { type: 'text', data: 'new' });

    const { websocketProvider } = stale.provider.configuration;
    websocketProvider.disconnect();
    await eventually(() => expect(websocketProvider.status).toBe('disconnected'));
    await websocketProvider.connect();
    await eventually(() => expect(stale.refusals.slice(1)).toContain('NOT_FOUND'));
    expect((await content()).data).toBe('new');
    const fresh = await open();
    expect(fresh.text.toString()).toBe('new');
    fresh.text.insert(3, '!');
    await fresh.sent();
    await eventually(async () => expect((await content()).data).toBe('new!'));
  });

  it('deletes all editors of a document if none is named', async () => {
    await call('add', { type: 'text', data: 'one' });
    const { organizationId, documentId } = editor;
    const place = { organizationId, documentId };
    expect((await server.call('/v2/crdt/delete', place)).status).toBe(200);
    expect((await server.call('/v2/crdt/get', place)).body.result.data).toEqual([]);
    expect((await server.call('/v2/crdt/delete', place)).status).toBe(200);
  });
});
