import { beforeEach, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { fresh } from '../support/answers.ts';
import { planServer, words } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { RawSocket, SYNC, UPDATE, withLength } from '../support/raw-socket.ts';

let editorId: string;
const { server, ...editors } = await planServer();
beforeEach(() => {
  editorId = fresh('large');
});

const call = (verb: string, more = {}) => editors.call(verb, { editorId, ...more });
const open = () => editors.open(editorId);

describe('large content', () => {
  it('changes only where it differs, and sends little', async () => {
    const data = words(3, 200_000);
    await call('add', { type: 'text', data });
    const { doc, text } = await open();
    let received = 0;
    doc.on('update', (update: Uint8Array) => {
      received += update.length;
    });
    const changed = `${data.slice(0, 100_000)} CHANGED ${data.slice(100_000)}`;
    await call('update', { type: 'text', data: changed });
    await eventually(() => expect(text.toString() === changed).toBe(true));
    expect(received).toBeLessThan(1_000);
  });

  const wordsOf = (seed: number) => words(seed, 30_000).split(' ');
  it.each([
    ['text', (seed: number) => words(seed, 150_000)],
    ['array', (seed: number) => wordsOf(seed).map((word) => ({ word }))],
    ['map', (seed: number) => Object.fromEntries(wordsOf(seed).map((word) => [word, word]))],
    ['xml', (seed: number) => words(seed, 15_000).replace(/(\w+) /g, '<p>$1</p>')],
  ])(
    'of type %s reaches editors as a whole, and keeps their concurrent edits',
    async (type, of) => {
      await call('add', { type, data: of(4) });
      const { doc, sent } = await open();
      const notes = doc.getText('notes');
      const sizes: number[] = [];
      doc.on('update', ({ length }: Uint8Array) => sizes.push(length));
      const answer = call('update', { type, data: of(5) });
      notes.insert(0, 'typed');
      await answer;
      await sent();
      const [stored] = await call('get', { type });
      expect(stored.type).toBe(type);
      await eventually(() => expect(sizes.filter((size) => size > 1_000)).toHaveLength(1));
      if (type !== 'xml') expect(stored.data).toEqual(of(5));
      expect(notes.toString()).toBe('typed');
    },
  );

  it('with formats becomes what was given in an open document, and causes no edits there', async () => {
    const marks = ['strong', 'em', 'u', 'code'];
    const paragraph = (at: number, seed: number) => {
      const [one, other] = [marks[(at * seed) % 4], marks[(at + seed) % 4]];
      return `<p><${one}>Part ${at} of ${seed}</${one}> and <${other}>${at % seed} more</${other}></p>`;
    };
    const xml = (seed: number) =>
      Array.from({ length: 120 }, (_, at) => paragraph(at, seed)).join('');
    await call('add', { type: 'xml', data: xml(1) });
    for (let version = 2; version <= 4; version++) {
      const data = xml(version);
      await call('update', { type: 'xml', data });
      const [stored] = await call('get');
      expect({ version: stored.version, isGiven: stored.data === data }).toEqual({
        version,
        isGiven: true,
      });
    }
  });

  it('with formats that an editor sends at once stays as it is while others have the document open', async () => {
    const [one, other] = [await open(), await open()];
    const fragment = one.doc.getXmlFragment('default');
    const texts = Array.from({ length: 30 }, () => new Y.XmlText());
    const marks = [{ bold: true }, { italic: {} }, { code: {} }, { bold: null }];
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    fragment.insert(0, texts);
    for (const text of texts) {
      for (let word = 0; word < 60; word++) {
        text.insert(random(text.length + 1), `word ${word} `, marks[random(3)]);
        text.format(random(text.length), 5, marks[random(4)] ?? {});
      }
    }
    await one.sent();
    const changed = (text: Y.XmlText) =>
      (text.toDelta() as Array<{ insert: string; attributes?: object }>).map((run) => ({
        insert: run.insert,
        attributes: random(2)
          ? run.attributes
          : { ...run.attributes, bold: random(2) ? true : null, code: {} },
      }));
    one.doc.transact(() => {
      for (const text of texts) {
        text.format(0, text.length, { bold: null });
        text.format(0, text.length, { bold: true });
        text.applyDelta([...changed(text), { delete: text.length }]);
        text.format(0, text.length, { italic: null });
        const runs = changed(text);
        text.delete(0, text.length >> 1);
        text.applyDelta([{ retain: text.length }, ...runs]);
      }
    });
    const given = fragment.toString();
    await one.sent();
    await eventually(() => expect(other.doc.getXmlFragment('default').toString()).toBe(given));
    await other.sent();
    const { doc } = await open();
    expect(doc.getXmlFragment('default').toString()).toBe(given);
    expect(fragment.toString()).toBe(given);
  });

  it('reaches others without edits that refer to missing ones', async () => {
    const other = await open();
    const [lacking, whole] = [new Y.Doc(), new Y.Doc()];
    lacking.getText('lacking').insert(0, 'This part is never sent.');
    const known = Y.encodeStateVector(lacking);
    lacking.getText('lacking').insert(0, words(10, 100_000));
    const texts = Array.from({ length: 400 }, (_, at) => new Y.Text(words(at + 1, 250)));
    whole.getArray('texts').insert(0, texts);
    const updates = [Y.encodeStateAsUpdate(lacking, known), Y.encodeStateAsUpdate(whole)];
    const name = `acme/plan/${editorId}`;
    const socket = await RawSocket.openWithAccess(server.url, name, editors.token);
    socket.send(name, SYNC, UPDATE, withLength(Y.mergeUpdates(updates)));
    await eventually(() => expect(other.doc.getArray('texts')).toHaveLength(400));
    expect(other.doc.store.pendingStructs).toBeNull();
  });

  it('of several shared texts in a map is replaced once', async () => {
    const map = { type: 'map', contentKey: 'texts' };
    await call('add', { ...map, data: {} });
    const { doc, sent } = await open();
    const texts = doc.getMap('texts');
    for (const name of ['first', 'last']) texts.set(name, new Y.Text(words(7, 80_000)));
    await sent();
    const data = { first: words(8, 80_000), last: words(9, 80_000) };
    await call('update', { ...map, data });
    await eventually(() => expect(texts.toJSON()).toEqual(data));
    expect(await editors.contentOf(editorId)).toEqual(data);
    expect(texts.get('first')).toBeInstanceOf(Y.Text);
  });

  it('that is malformed or too deep is refused like small content', async () => {
    await call('add', { type: 'xml', data: '<p/>' });
    const long = `<p>${'x'.repeat(100_000)}</p>`;
    for (const data of [`${long}<p>`, '<x>'.repeat(65) + long + '</x>'.repeat(65)]) {
      const place = { organizationId: 'acme', documentId: 'plan', editorId };
      const { body } = await server.call('/v2/crdt/update', { ...place, type: 'xml', data });
      expect(body.error).toMatchObject({ status: 'INVALID_ARGUMENT', code: 400 });
      expect(body.error.details.issues[0].path).toBe('data');
    }
    expect(await editors.contentOf(editorId)).toBe('<p/>');
  });
});
