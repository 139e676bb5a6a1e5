import { expect, it } from 'vitest';
import * as Y from 'yjs';
import { connect } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { watchedServer } from '../support/processes.ts';
import { post } from '../support/server.ts';

const NODES = 30_000;
const { server, headers, token, open, call, watchStages, expectNoBlock } = await watchedServer();

const words = (seed: number, length: number) => {
  let text = '';
  for (let at = seed; text.length < length; at = (at * 48_271) % 2_147_483_647) {
    text += `${at.toString(36)} `;
  }
  return text;
};
/** Random letters, which have chance similarities everywhere and no words. */
const noise = (seed: number, length: number) => {
  const letters: string[] = [];
  for (let at = seed; letters.length < length; at = (at * 48_271) % 2_147_483_647) {
    letters.push(String.fromCharCode(97 + ((at >> 8) % 26)));
  }
  return letters.join('');
};
const numbers = Array.from({ length: NODES }, (_, at) => at);
const deep = (value: unknown) =>
  Array.from({ length: 60 }).reduce((inner) => ({ a: inner }), value);

const CONTENTS: Array<[string, string, (seed: number) => unknown]> = [
  ['very long text', 'text', (seed) => words(seed, 4_900_000)],
  ['noise', 'text', (seed) => noise(seed, 2_000_000)],
  ['map', 'map', (seed) => Object.fromEntries(numbers.map((at) => [`key ${at}`, at * seed]))],
  ['array', 'array', (seed) => numbers.map((at) => `value ${at * seed}`)],
  ['deep', 'array', (seed) => numbers.slice(0, NODES / 61).map((at) => deep(at * seed))],
  [
    'xml',
    'xml',
    (seed) =>
      numbers
        .slice(NODES / 2)
        .map((at) => `<p>${at * seed}</p>`)
        .join(''),
  ],
];

let count = 0;
it.each(CONTENTS)(
  'large content (%s) never blocks the event loop',
  // Only blocking by the work itself happens every time.
  { retry: 2, timeout: 120_000 },
  async (_, type, of) => {
    const editorId = `large-${++count}`;
    const { watch, slow } = watchStages();
    const watched = (verb: string, data?: unknown) =>
      watch(`crdt/${verb}`, () => call(verb, { editorId, type, data }));
    await watched('add', of(1));
    await watched('update', of(2));
    const reader = connect({ url: server.url, name: `acme/plan/${editorId}`, token });
    await watch('opening', () => eventually(() => expect(reader.provider.synced).toBe(true)));
    await watched('update', of(3));
    await watched('update', of(3));
    await watched('get');
    await watched('delete');
    expect(slow()).toEqual([]);
  },
);

it('a passage of a large text never blocks the event loop, whatever the quote', async () => {
  const editor = { organizationId: 'acme', documentId: 'plan', editorId: 'passages' };
  const replace = async (quote: string, occurrence?: number) => {
    const data = { ...editor, quote, replacement: 'b', occurrence };
    return (await post(`${server.url}/v2/crdt/replace_range`, { data }, headers.apiKey)).body;
  };
  const text = 'a'.repeat(1_000_000);
  await call('add', { editorId: 'passages', type: 'text', data: text });
  await expectNoBlock(async () => {
    // A search by `indexOf` takes 12 s.
    const hard = await replace(`${'a'.repeat(32_000)}b${'a'.repeat(32_000)}`);
    expect(hard.error.status).toBe('NOT_FOUND');
    expect((await replace('a')).error.details.occurrences).toBe(text.length);
    expect((await replace('a', 500_000)).error).toBeUndefined();
  });
}, 60_000);

it('shared texts in a map never block the event loop, whatever replaces them', async () => {
  const map = { editorId: 'shared', type: 'map', contentKey: 'texts' };
  await call('add', { ...map, data: {} });
  const writer = await open('shared');
  for (const n of [1, 2]) writer.doc.getMap('texts').set(`${n}`, new Y.Text(noise(n, 80_000)));
  await writer.sent(30_000);
  const data = { 1: noise(3, 80_000), 2: noise(4, 80_000) };
  await expectNoBlock(() => call('update', { ...map, data }));
}, 60_000);

const paste = ({ doc }: { doc: Y.Doc }) =>
  doc.transact(() => {
    for (const at of numbers) doc.getMap('pasted').set(`${at}`, at);
  });

it('a large paste never blocks the event loop', async () => {
  const writer = await open('pasted');
  await expectNoBlock(async () => {
    paste(writer);
    await writer.sent(30_000);
  });
}, 60_000);

it('an edit in very many places never blocks the event loop', async () => {
  const writer = await open('replaced');
  writer.text.insert(0, 'ab'.repeat(12_000));
  paste(writer);
  await writer.sent(30_000);
  await expectNoBlock(async () => {
    writer.doc.transact(() => {
      // From the end, which takes Yjs a tenth of the time.
      for (let at = 12_000; at-- > 0; ) writer.text.delete(2 * at, 1);
    });
    await writer.sent(30_000);
  });
}, 120_000);

it('very many subdocuments are refused, and never block the event loop', async () => {
  const writer = await open('subdocuments');
  await expectNoBlock(async () => {
    writer.doc.transact(() => {
      const map = writer.doc.getMap('pages');
      for (let at = 0; at < 8_000; at++) map.set(`${at}`, new Y.Doc());
    });
    await eventually(() => expect(writer.refusals).toEqual(['RESOURCE_EXHAUSTED']));
  });
}, 60_000);

it('a few subdocuments are stored as what they are: names of other documents', async () => {
  const writer = await open('pages');
  writer.doc.getMap('pages').set('one', new Y.Doc({ guid: 'acme/plan/page-one' }));
  await writer.sent();
  const [page] = [...(await open('pages')).doc.getSubdocs()];
  expect(page?.guid).toBe('acme/plan/page-one');
});
