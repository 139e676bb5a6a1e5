import { beforeEach, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { fresh } from '../support/answers.ts';
import { organize } from '../support/directory.ts';
import { connect, type Editor, makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually, SOON_MS } from '../support/eventually.ts';
import { createTenant, startTestServer } from '../support/server.ts';

let name: string;
const server = await startTestServer();
await makePlan(server);
beforeEach(() => {
  name = `acme/plan/${fresh('body')}`;
});

const open = (token: string, own = name) => openEditor({ url: server.url, name: own, token });
const openAs = async (userId: string, accessRole: 'viewer' | 'editor' = 'editor') =>
  open(await userToken(server, userId, { accessRole }));

async function refusalOf(options: Partial<Parameters<typeof connect>[0]> & { token: string }) {
  const editor = connect({ url: server.url, name, ...options });
  await eventually(() => expect(editor.refusals).not.toEqual([]));
  expect(editor.provider.synced).toBe(false);
  return editor.refusals;
}

const place = { organizationId: 'acme', documentId: 'plan' };
const addUser = (user: object) => server.ok('/v1/users/add', { ...place, users: [user] });

/** The stored content of the document, under a key. */
const storedFor = async (headers: Record<string, string>) => {
  const editor = { ...place, editorId: name.split('/')[2] };
  return (await server.ok('/v2/crdt/get', editor, headers))[0]?.data;
};

const accepted = async (editor: Editor, reader: Editor, letter: string) => {
  editor.text.insert(0, letter);
  await eventually(() => expect(reader.text.toString()).toContain(letter));
};

describe('a connection', () => {
  it('of a viewer receives edits of others and cannot write', async () => {
    const editor = await openAs('ed');
    const viewer = await openAs('vi', 'viewer');
    viewer.text.insert(0, 'forbidden');
    await accepted(editor, viewer, 'x');
    expect(editor.text.toString()).toBe('x');
    await eventually(async () => {
      expect(await storedFor(server.keyHeaders)).toBe('x');
    });
  });

  it('of a viewer is confirmed when the server has all that the viewer holds, and only then', async () => {
    const editor = await openAs('ed');
    editor.text.insert(0, 'kept');
    await editor.sent();
    editor.text.delete(0, 1);
    await editor.sent();
    const state = Y.encodeStateAsUpdate(editor.doc);
    const token = await userToken(server, 'vi', { accessRole: 'viewer' });
    const back = async (more: (text: Y.Text) => unknown) => {
      const doc = new Y.Doc();
      Y.applyUpdate(doc, state);
      more(doc.getText('content'));
      return openEditor({ url: server.url, name, token, doc });
    };
    const same = await back(() => undefined);
    await same.sent();
    const others = [
      await back((text) => text.insert(0, 'unsent')),
      await back((text) => text.delete(0, 1)),
    ];
    for (const other of others) {
      // What the editor writes now arrives after the answer to what the viewer sent.
      await accepted(editor, other, 'x');
      expect(other.provider.hasUnsyncedChanges).toBe(true);
    }
  });

  it('is refused in the same words without access and without the document', async () => {
    const token = await userToken(server, 'stranger');
    expect(await refusalOf({ token })).toEqual(['PERMISSION_DENIED']);
    expect(await refusalOf({ token, name: 'acme/none/body' })).toEqual(['PERMISSION_DENIED']);
    expect(await refusalOf({ token, name: 'none/plan/body' })).toEqual(['PERMISSION_DENIED']);
  });

  it('is refused to a token of another tenant and to an invalid token', async () => {
    const other = await createTenant(server);
    await userToken(server, 'ada', { accessRole: 'editor' });
    const token = await userToken(server, 'ada', undefined, other);
    expect(await refusalOf({ token })).toEqual(['PERMISSION_DENIED']);
    expect(await refusalOf({ token: 'nonsense' })).toEqual(['TOKEN_INVALID']);
    // A token that claims this tenant, with the signature of other claims.
    const ours = (await userToken(server, 'ada')).split('.');
    const theirs = token.split('.');
    const forged = [ours[0], ours[1], theirs[2]].join('.');
    expect(await refusalOf({ token: forged })).toEqual(['TOKEN_INVALID']);
  });

  it('is refused with a malformed name', async () => {
    const token = await userToken(server, 'ed', { accessRole: 'editor' });
    const names = ['acme', 'acme/plan', 'acme//body', 'acme/plan/body/more', 'acme/plan/%E0%A4'];
    for (const bad of names) {
      expect(await refusalOf({ token, name: bad })).toEqual(['INVALID_ARGUMENT']);
    }
  });

  it('finds one document, however its name is encoded', async () => {
    const token = await userToken(server, 'ed', { accessRole: 'editor' });
    const one = await open(token, 'acme/plan/it%27s%20me');
    const two = await open(token, "acme/plan/it's%20me");
    await accepted(one, two, 'y');
  });

  it('is refused from a domain that the key does not allow', async () => {
    const headers = await createTenant(server);
    await makePlan(server, headers);
    const token = await userToken(server, 'ed', { accessRole: 'editor' }, headers);
    await server.ok('/v2/workspace/domains/add', { domains: ['example.com'] }, headers);
    const from = (origin: string) => ({ token, headers: { Origin: origin } });
    expect(await refusalOf(from('https://evil.test'))).toEqual(['PERMISSION_DENIED']);
    await openEditor({ url: server.url, name, ...from('https://example.com') });
  });
});

describe('an open connection', () => {
  it('stays open, whatever changes about other users while it opens', async () => {
    const first = await openAs('ed');
    const guests = Array.from({ length: 10 }, (_, at) => openAs(`guest-${at}`, 'viewer'));
    const opened = await Promise.all(guests);
    first.text.insert(0, 'seen by all');
    await eventually(() => {
      for (const { text } of opened) expect(text.toString()).toBe('seen by all');
    });
    expect(opened.flatMap(({ refusals }) => refusals)).toEqual([]);
  });

  it('is downgraded and upgraded within a second of the change', async () => {
    const other = await openAs('ed');
    const editor = await openAs('down');
    await accepted(editor, other, 'a');
    await addUser({ userId: 'down', accessRole: 'viewer' });
    await eventually(() => expect(editor.provider.authorizedScope).toBe('readonly'), SOON_MS);
    editor.text.insert(0, 'b');
    await accepted(other, editor, 'c');
    expect(other.text.toString()).not.toContain('b');
    await addUser({ userId: 'down', accessRole: 'editor' });
    await eventually(() => expect(editor.provider.authorizedScope).toBe('read-write'));
    editor.text.insert(editor.text.toString().indexOf('b') + 1, 'd');
    await eventually(() => expect(other.text.toString()).toContain('bd'));
    await editor.sent();
  });
});

it.each(['__proto__', 'constructor', '', 'a\u0000b', 'x'.repeat(300)])(
  'a token with the id of an impossible key is refused like any invalid token',
  async (key) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    // `__proto__` in an object literal would set the prototype, so the JSON is written out.
    const claims = Buffer.from(`{"key":${JSON.stringify(key)},"sub":"ada"}`).toString('base64url');
    const token = [part({ alg: 'HS256', typ: 'JWT' }), claims, 'c2lnbmVk'].join('.');
    expect(await refusalOf({ token })).toEqual(['TOKEN_INVALID']);
  },
);

it('ids that are property names of every object work like any other id', async () => {
  const own = { organizationId: 'constructor', documentId: 'hasOwnProperty' };
  const documents = [{ documentId: 'hasOwnProperty', accessType: 'restricted' }];
  await organize(server, 'constructor', { documents });
  const users = [{ userId: 'valueOf', name: 'Val', accessRole: 'editor' }];
  await server.ok('/v1/users/add', { ...own, users });
  const token = await userToken(server, 'valueOf');
  const document = 'constructor/hasOwnProperty/toString';
  const [one, reader] = [await open(token, document), await open(token, document)];
  await accepted(one, reader, 'x');
  one.provider.setAwarenessField('user', { name: 'x', isPrototypeOf: 'kept' });
  const user = { id: 'valueOf', name: 'Val', initial: 'V', isPrototypeOf: 'kept' };
  await eventually(() => expect([...reader.states().values()]).toContainEqual({ user }));
  await eventually(async () => {
    expect(await server.ok('/v2/presence/get', own)).toMatchObject([{ userId: 'valueOf' }]);
  });
  const [stored] = await server.ok('/v2/crdt/get', { ...own, editorId: 'toString' });
  expect(stored?.data).toBe('x');
});

/** Sends awareness of the Yjs client of another user. */
function forge({ provider: { awareness } }: Editor, clientId: number, state: object): void {
  awareness?.meta.set(clientId, { clock: 1_000_000, lastUpdated: Date.now() });
  awareness?.states.set(clientId, state);
  awareness?.emit('update', [{ added: [], updated: [clientId], removed: [] }, 'local']);
}

describe('awareness', () => {
  it("cannot be set in the name of another user, nor for another user's client", async () => {
    const ada = await openAs('ada');
    const eve = await openAs('eve', 'viewer');
    const watcher = await openAs('ed');
    ada.provider.setAwarenessField('user', { id: 'ada' });
    await eventually(() => expect(JSON.stringify([...eve.states()])).toContain('ada'));
    eve.provider.setAwarenessField('user', { id: 'ada', name: 'Eve as Ada' });
    await eventually(() => {
      const shown = watcher.states().get(eve.doc.clientID);
      expect(shown).toEqual({ user: { id: 'eve', name: 'eve' } });
    });
    const clientId = ada.doc.clientID;
    forge(eve, clientId, { user: { id: 'eve', name: 'Eve on the client of Ada' } });
    eve.provider.setAwarenessField('user', { id: 'eve', last: true });
    await eventually(() => expect(JSON.stringify([...watcher.states()])).toContain('last'));
    expect(JSON.stringify([...watcher.states()])).not.toMatch(/Eve (as|on)/);
    expect(watcher.states().get(clientId)).toEqual({ user: { id: 'ada' } });
  });

  it('has the stored profile of its user, and other fields as they were sent', async () => {
    const known = { name: 'Grace Hopper', photoUrl: 'https://example.com/grace.png' };
    const email = 'grace@example.com';
    await addUser({ ...known, userId: 'grace', email, accessRole: 'viewer' });
    const grace = await open(await userToken(server, 'grace'));
    const watcher = await openAs('ed');
    const shown = () => watcher.states().get(grace.doc.clientID);
    // The roots of Tiptap and BlockNote.
    grace.provider.awareness?.setLocalState({
      user: {
        ...{ id: 'ada', userId: 'ada', name: 'Ada', email: 'ada@example.com' },
        ...{ agent: { agentId: 'x' }, avatar: 'https://example.com/ada.png' },
        ...{ color: '#f00', team: 'navy' },
      },
      cursor: { anchor: { type: null, tname: 'default' }, head: null },
      agent: { agentId: 'claude' },
      agentId: 'claude',
    });
    await eventually(() =>
      expect(shown()).toEqual({
        user: {
          ...{ ...known, initial: 'G', avatar: known.photoUrl },
          ...{ id: 'grace', userId: 'grace', color: '#f00', team: 'navy' },
        },
        cursor: { anchor: { type: null, tname: 'default' }, head: null },
      }),
    );
    // The root of Lexical.
    grace.provider.awareness?.setLocalState({
      ...{ name: 'Ada', color: 'red', focusing: true, anchorPos: { item: 1 }, focusPos: null },
      awarenessData: { name: 'Ada', userId: 'ada', picture: 'x', mood: 'fine' },
    });
    await eventually(() =>
      expect(shown()).toEqual({
        ...{ name: known.name, color: 'red', focusing: true },
        ...{ anchorPos: { item: 1 }, focusPos: null },
        awarenessData: { name: known.name, userId: 'grace', picture: known.photoUrl, mood: 'fine' },
      }),
    );
  });

  it('shows only the agent that the token was made for', async () => {
    const agent = { agentId: 'reviewer', name: 'The reviewer' };
    const resources = [{ type: 'document', id: 'plan', organizationId: 'acme' }];
    const data = { userId: 'bot', agent, permissions: { resources } };
    const bot = await open((await server.ok('/v2/auth/generate_token', data)).token);
    const watcher = await openAs('ed');
    bot.provider.setAwarenessField('agent', { agentId: 'another' });
    await eventually(() => {
      const state = watcher.states().get(bot.doc.clientID);
      expect(state).toEqual({ agent });
    });
  });

  it('of a disconnected user cannot be continued by another', async () => {
    const ada = await openAs('ada');
    const eve = await openAs('eve', 'viewer');
    const watcher = await openAs('ed');
    ada.provider.setAwarenessField('cursor', 1);
    const clientId = ada.doc.clientID;
    await eventually(() => expect(eve.states().has(clientId)).toBe(true));
    ada.provider.destroy();
    await eventually(() => expect(eve.states().has(clientId)).toBe(false));
    forge(eve, clientId, { cursor: 2 });
    eve.provider.setAwarenessField('last', true);
    await eventually(() => expect(JSON.stringify([...watcher.states()])).toContain('last'));
    expect(watcher.states().has(clientId)).toBe(false);
  });
});

it('live documents of two tenants never mix, although their names are the same', async () => {
  const otherHeaders = await createTenant(server);
  await makePlan(server, otherHeaders);
  const ours = await openAs('ada');
  const theirs = await open(await userToken(server, 'ada', { accessRole: 'editor' }, otherHeaders));
  ours.text.insert(0, 'ours');
  theirs.text.insert(0, 'theirs');
  ours.provider.setAwarenessField('user', { id: 'ada', secret: 'ours' });
  await Promise.all([ours.sent(), theirs.sent()]);
  await eventually(async () => {
    expect(await storedFor(server.keyHeaders)).toBe('ours');
    expect(await storedFor(otherHeaders)).toBe('theirs');
  });
  expect(ours.text.toString()).toBe('ours');
  expect(theirs.text.toString()).toBe('theirs');
  expect(JSON.stringify([...theirs.states()])).not.toContain('secret');
});
