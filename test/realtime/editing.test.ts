import type { Socket } from 'node:net';
import { MessageType, type onMessageParameters } from '@hocuspocus/provider';
import { beforeEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import * as Y from 'yjs';
import { type ResponseWriter, type Sql, sql } from '../../src/platform/database/database.ts';
import { fresh } from '../support/answers.ts';
import { organize } from '../support/directory.ts';
import { type Editor, planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { execute } from '../support/global-setup.ts';
import { holdTransaction } from '../support/hold-transaction.ts';
import { startTestServer } from '../support/server.ts';
import { storedEditor } from '../support/stored-editor.ts';

type WebSocketOfNode = WebSocket & { _socket: Socket };

/** A synchronization message that is neither a question nor its answer. */
const EDIT = 2;
let editorId: string;
const { server, open, contentOf } = await planServer();
/** Another process on the same database. */
const other = await startTestServer({ DATABASE_URL: server.databaseUrl, ROLES: 'api' });
beforeEach(() => {
  editorId = fresh('body');
});

const place = { organizationId: 'acme', documentId: 'plan' };
const replaceText = (data: string) =>
  server.call('/v2/crdt/update', { ...place, editorId, type: 'text', data });
const addText = (data: string) =>
  server.call('/v2/crdt/add', { ...place, editorId, type: 'text', data });

const rows = (statement: string) => execute(server.databaseUrl, statement);
const stored = () => storedEditor(server.app.services.db.pool, editorId);
const versionOf = async () => (await stored()).version;
const committedText = async () => (await stored()).doc.getText('content').toString();

/** Counts the messages with edits that the server sends to an editor from now on. */
function countEditsTo({ provider }: Editor): { count: number } {
  const sent = { count: 0 };
  provider.on('message', ({ message }: onMessageParameters) => {
    message.readVarString();
    if (message.readVarUint() === MessageType.Sync && message.readVarUint() === EDIT) sent.count++;
  });
  return sent;
}

describe('editors of one document', () => {
  it('receive the edits of others, and not their own', async () => {
    const [one, two] = [await open(editorId), await open(editorId)];
    const [toOne, toTwo] = [countEditsTo(one), countEditsTo(two)];
    one.text.insert(0, 'Hello');
    await eventually(() => expect(two.text.toString()).toBe('Hello'));
    two.text.insert(5, ' World');
    await eventually(() => expect(one.text.toString()).toBe('Hello World'));
    await Promise.all([one.sent(), two.sent()]);
    expect([toOne, toTwo]).toEqual([{ count: 1 }, { count: 1 }]);
  });

  it.each([
    ['A word', 'Bye. '],
    ['A long text', 'Bye. '.repeat(50_000)],
  ])(
    'leave nothing behind: %s is stored although its socket is closed at once',
    async (_, last) => {
      const editor = await open(editorId);
      editor.text.insert(0, 'Hello. ');
      await editor.sent();
      const { websocketProvider } = editor.provider.configuration;
      const { webSocket } = websocketProvider as unknown as { webSocket: WebSocketOfNode };
      // The edit and the close frame arrive together, as from a page that is left.
      const { _socket } = webSocket;
      _socket.cork();
      editor.text.insert(0, last);
      editor.leave();
      _socket.uncork();
      await eventually(async () => expect(await committedText()).toBe(`${last}Hello. `));
    },
  );

  it('get a REST edit as a minimal change that keeps cursors in place', async () => {
    await addText('We launch in May, if all goes well.');
    const [one, two] = [await open(editorId), await open(editorId)];
    const at = one.text.toString().indexOf('goes');
    const cursor = Y.createRelativePositionFromTypeIndex(one.text, at);
    const updates: Uint8Array[] = [];
    one.doc.on('update', (update: Uint8Array) => updates.push(update));
    const { status, body } = await replaceText('We launch in September, if all goes well.');
    expect(status).toBe(200);
    expect(body).toEqual({
      result: { status: 'success', message: 'CRDT data updated successfully.' },
    });
    await eventually(() => {
      expect(one.text.toString()).toBe('We launch in September, if all goes well.');
      expect(two.text.toString()).toBe(one.text.toString());
    });
    expect(updates).toHaveLength(1);
    expect(updates[0]?.length).toBeLessThan(60);
    const moved = Y.createAbsolutePositionFromRelativePosition(cursor, one.doc);
    expect(one.text.toString().slice(moved?.index)).toBe('goes well.');
  });
});

/** Edits as REST does, with what locks the stored answer of the call, if any. */
const edit = (make: (doc: Y.Doc) => void, lock?: ResponseWriter['lock']) =>
  editAnswered(make, lock && { lock, store: () => undefined });

const editAnswered = (make: (doc: Y.Doc) => void, response?: ResponseWriter, id = editorId) => {
  const name = { tenantId: server.quickstart.apiKey, ...place, editorId: id };
  return server.app.services.liveDocuments.edit(name, { author: undefined, response, make });
};

/** Stops everything in this process, as if it was suspended. */
const suspend = (ms: number) =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const endTransactionAfter = (ms: number) =>
  sql`SELECT set_config('idle_in_transaction_session_timeout', ${String(ms)}, true)`;

describe('a REST edit', () => {
  it('with an Idempotency-Key is committed together with others, and each with its answer', async () => {
    const editors = Array.from({ length: 10 }, (_, at) => `${editorId}-${at}`);
    const edit = (path: string, id: string, data: string, key?: string) =>
      server.call(
        `/v2/crdt/${path}`,
        { ...place, editorId: id, type: 'text', data },
        { ...server.keyHeaders, ...(key && { 'idempotency-key': key }) },
      );
    for (const id of editors) await edit('add', id, 'one');
    for (const id of editors) await edit('update', id, 'two');
    const lock = await holdTransaction(
      server.databaseUrl,
      'SELECT FROM crdt_documents WHERE editor_id = $1 FOR UPDATE',
      [editors[0]],
    );
    const first = edit('update', `${editors[0]}`, 'three', `key-${editors[0]}`);
    await lock.holdsUp(1);
    const reserved = `SELECT 1 FROM idempotency_keys WHERE key LIKE 'key-${editorId}-%'`;
    const appends = await server.statementsOf(async () => {
      const others = editors.slice(1).map((id) => edit('update', id, 'three', `key-${id}`));
      await eventually(async () => expect(await rows(reserved)).toHaveLength(10));
      await lock.release();
      const answers = await Promise.all([first, ...others]);
      expect(answers.map(({ status }) => status)).toEqual(editors.map(() => 200));
    });
    expect(appends.filter((text) => text.includes('UPDATE crdt_updates')).length).toBeLessThan(4);
    expect(await rows(`${reserved} AND sealed_answer IS NOT NULL`)).toHaveLength(10);
  });

  it('is not made when its caller has lost the right to an answer', async () => {
    await addText('one');
    const lost = new Error('Another process answers.');
    const make = (doc: Y.Doc) => doc.getText('content').insert(0, 'two');
    await expect(edit(make, async () => lost)).rejects.toBe(lost);
    expect(await contentOf(editorId)).toBe('one');
    expect(await versionOf()).toBe(1);
  });

  it('of a process that is suspended while it locks the document holds up others only briefly', async () => {
    await addText('one');
    const locked = Promise.withResolvers<void>();
    const suspension = Promise.withResolvers<void>();
    const lock = async () => {
      locked.resolve();
      await suspension.promise;
      return undefined;
    };
    const edited = edit((doc) => void doc.getMap('marks').set('two', true), lock);
    await locked.promise;
    const elsewhere = { ...place, editorId, type: 'text', data: 'three' };
    const answered = await other.call('/v2/crdt/update', elsewhere, server.keyHeaders);
    expect(answered.status).toBe(200);
    suspension.resolve();
    await edited;
    const { doc } = await stored();
    expect([doc.getText('content').toString(), doc.getMap('marks').get('two')]).toEqual([
      'three',
      true,
    ]);
  });

  it('of a process that is suspended until PostgreSQL ends its transaction is stored afterwards', async () => {
    await addText('one');
    let transactions = 0;
    const lock: ResponseWriter['lock'] = async (tx) => {
      if (++transactions === 1) await tx.query(endTransactionAfter(50));
      return undefined;
    };
    const make = (doc: Y.Doc) => {
      if (transactions === 1) suspend(500);
      doc.getMap('marks').set('two', true);
    };
    await edit(make, lock);
    expect(transactions).toBe(2);
    expect((await stored()).doc.getMap('marks').get('two')).toBe(true);
  });

  it('is not stored if another process has answered the call after a failed commit', async () => {
    await addText('one');
    const editor = await open(editorId);
    const elsewhere = { ...place, editorId, type: 'text', data: 'one two' };
    const lost = new Error('Another process answers.');
    const failed = Promise.withResolvers<void>();
    let transactions = 0;
    let isAnswered = false;
    const lock: ResponseWriter['lock'] = async (tx) => {
      if (isAnswered) return lost;
      if (++transactions === 1) await tx.query(endTransactionAfter(50));
      if (transactions === 1) return undefined;
      failed.resolve();
      throw Object.assign(new Error('The database is away.'), { code: 'ECONNREFUSED' });
    };
    const make = (doc: Y.Doc) => {
      suspend(500);
      doc.getText('content').insert(3, ' two');
    };
    const refused = expect(edit(make, lock)).rejects.toBe(lost);
    await failed.promise;
    const answered = await other.call('/v2/crdt/update', elsewhere, server.keyHeaders);
    expect(answered.status).toBe(200);
    isAnswered = true;
    await refused;
    await eventually(() => expect(editor.text.toString()).toBe('one two'));
    editor.text.insert(7, '.');
    await editor.sent();
    expect(await committedText()).toBe('one two.');
  });

  it('is committed with its answer also beside one that cannot be stored', async () => {
    await addText('one');
    const bad = `${editorId}-bad`;
    await server.call('/v2/crdt/add', { ...place, editorId: bad, type: 'text', data: 'one' });
    // Both are in memory, so that one transaction takes both changes.
    for (const id of [bad, editorId]) await open(id);
    const make = (doc: Y.Doc) => void doc.getMap('marks').set('two', true);
    const write = (statement: Sql): ResponseWriter => ({
      lock: async () => undefined,
      store: (tx) => tx.beforeCommit(statement),
    });
    const answer = write(sql`
      INSERT INTO idempotency_keys (tenant_id, path, key, request_hash, lease_until, expires_at)
      VALUES ('beside', '', ${editorId}, '', now(), now())`);
    const [failed, edited] = await Promise.allSettled([
      editAnswered(make, write(sql`SELECT 1 / 0`), bad),
      editAnswered(make, answer),
    ]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { status: 'INTERNAL' } });
    expect(edited).toMatchObject({ status: 'fulfilled' });
    expect((await stored()).doc.getMap('marks').get('two')).toBe(true);
    const answers = `SELECT 1 FROM idempotency_keys WHERE key = '${editorId}'`;
    expect(await rows(answers)).toHaveLength(1);
  });

  it('follows the edits since the one before, however soon it comes', async () => {
    await addText('0');
    const editor = await open(editorId);
    for (let round = 1; round <= 5; round++) {
      editor.text.insert(editor.text.length, '.');
      await editor.sent();
      expect((await replaceText(`${round}${'.'.repeat(round)}`)).status).toBe(200);
      const wrong = { ...place, editorId, type: 'map', data: {} };
      const refused = await server.call('/v2/crdt/update', wrong);
      expect(refused.status).toBe(400);
    }
    const expected = `5${'.'.repeat(5)}`;
    await eventually(() => expect(editor.text.toString()).toBe(expected));
    expect(await contentOf(editorId)).toBe(expected);
    expect(await committedText()).toBe(expected);
  });
});

describe('the log', () => {
  it('is deleted with its document, and does not restore it', async () => {
    await organize(server, 'acme', { documents: ['short'] });
    await server.call('/v1/users/add', {
      ...place,
      documentId: 'short',
      users: [{ userId: 'ada' }],
    });
    const editor = await open('body', { name: 'acme/short/body' });
    editor.text.insert(0, 'gone');
    await editor.sent();
    await eventually(async () => {
      const found = await rows("SELECT 1 FROM crdt_documents WHERE document_id = 'short'");
      expect(found).toHaveLength(1);
    });
    await rows("DELETE FROM documents WHERE document_id = 'short'");
    editor.text.insert(0, 'still typing');
    await eventually(() => expect(editor.refusals).toContain('NOT_FOUND'));
    expect(await rows("SELECT 1 FROM crdt_documents WHERE document_id = 'short'")).toEqual([]);
    expect(await rows("SELECT 1 FROM documents WHERE document_id = 'short'")).toEqual([]);
  });
});
