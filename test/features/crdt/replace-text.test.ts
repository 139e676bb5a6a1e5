import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { readJson } from '../../../src/features/crdt/content/read-json.ts';
import { replacePassage, replaceText } from '../../../src/features/crdt/content/replace-text.ts';
import { copyOf, documentWith, synchronise } from './documents.ts';

function textOf(content: string): Y.Text {
  return documentWith((doc) => doc.getText('k').insert(0, content)).getText('k');
}

function docOf(text: Y.Text): Y.Doc {
  if (text.doc === null) throw new Error('The text is in no document.');
  return text.doc;
}

const words = fc.constantFrom('one', 'two', 'bold', ' ', '\n', '.', '😀', '漢', 'é');
const texts = fc.array(words, { maxLength: 30 }).map((parts) => parts.join(''));
const insert = texts.filter((text) => text !== '');
const formats = fc.constantFrom({}, { bold: true }, { header: 1 }, { bold: true, link: 'x' });
const embeds = fc.constantFrom({ image: 1 }, { mention: 'ann' });
const runs = fc.array(
  fc.oneof(fc.record({ insert, attributes: formats }), fc.record({ insert: embeds })),
  { maxLength: 6 },
);

describe('replaceText', () => {
  it('keeps the history of a place short, however often it is replaced', () => {
    const text = textOf('before after');
    for (const letter of 'abcdefghijklmnop') replaceText(text, `before ${letter.repeat(5)} after`);
    for (const doc of [docOf(text), copyOf(docOf(text))]) {
      expect([...doc.store.clients.values()].flat().length).toBeLessThan(10);
    }
  });

  it('keeps the position of every character outside the changed part', () => {
    fc.assert(
      fc.property(texts, texts, texts, texts, fc.boolean(), (head, old, tail, by, isPassage) => {
        // The markers end the common prefix and suffix, which may otherwise be matched in several
        // ways.
        const text = textOf(`${head}<${old}>${tail}`);
        const start = head.length + old.length + 2;
        const at = (index: number) => Y.createRelativePositionFromTypeIndex(text, index);
        const inHead = [...head].map((_, index) => at(index));
        const inTail = [...tail].map((_, index) => at(start + index));
        const [quote, replacement] = [`<${old}>`, `<${by}>`];
        if (isPassage) replacePassage(text, { offset: head.length, quote, replacement });
        else replaceText(text, head + replacement + tail);
        const place = (position: Y.RelativePosition) =>
          Y.createAbsolutePositionFromRelativePosition(position, docOf(text))?.index;
        expect(inHead.map(place)).toEqual([...head].map((_, index) => index));
        const shifted = head.length + replacement.length;
        expect(inTail.map(place)).toEqual([...tail].map((_, index) => shifted + index));
      }),
      { numRuns: 200 },
    );
  });

  it('makes formatted text with embeds equal the target at every client, and keeps all concurrent edits', () => {
    const edits = fc.array(fc.record({ at: fc.nat(), cut: fc.nat(3) }), { maxLength: 6 });
    fc.assert(
      fc.property(runs, texts, edits, (delta, target, remoteEdits) => {
        const doc = copyOf(documentWith((made) => made.getText('k').applyDelta(delta)));
        const remote = copyOf(doc);
        const text = remote.getText('k');
        for (const { at, cut } of remoteEdits) {
          const index = text.length === 0 ? 0 : at % text.length;
          text.delete(index, Math.min(cut, text.length - index));
          text.insert(index, '§');
        }
        const written = text.toString().split('§').length;
        replaceText(doc.getText('k'), target);
        synchronise(doc, remote);
        expect(text.toDelta()).toEqual(doc.getText('k').toDelta());
        expect(text.toString().split('§')).toHaveLength(written);
        if (remoteEdits.length === 0) expect(text.toString()).toBe(target);
      }),
      { numRuns: 200 },
    );
  });

  it('knows the present text, whoever changed it since the last replacement', () => {
    const changes: Array<(doc: Y.Doc, text: Y.Text, target: string) => void> = [
      (_doc, text, target) => replaceText(text, target),
      (doc, text, target) =>
        doc.transact(() => {
          replaceText(text, `${target} and more`);
          replaceText(text, target);
        }),
      (_doc, text, target) =>
        replacePassage(text, { offset: 0, quote: text.toString(), replacement: target }),
      (_doc, text, target) => text.insert(0, target),
      (doc, _text, target) => {
        const remote = copyOf(doc);
        remote.getText('k').insert(0, target);
        synchronise(doc, remote);
      },
      (_doc, text) => text.delete(0, text.length),
      (_doc, text) => text.insertEmbed(0, { image: 1 }),
      (_doc, text) => text.format(0, text.length, { bold: true }),
    ];
    const step = fc.tuple(fc.constantFrom(...changes), texts);
    const steps = fc.array(step, { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(steps, (all) => {
        const doc = new Y.Doc();
        const text = doc.getText('k');
        for (const [change, target] of all) {
          change(doc, text, target);
          expect(readJson(doc, 'k', 'text')).toBe(text.toString());
        }
      }),
      { numRuns: 200 },
    );
  });

  it('lets the undo manager of another origin undo its own edit only', () => {
    const text = textOf('one two three');
    const undo = new Y.UndoManager(text, { trackedOrigins: new Set(['author']) });
    docOf(text).transact(() => text.insert(3, ' and a half'), 'author');
    docOf(text).transact(() => replaceText(text, 'ONE and a half two three!'), 'api');
    undo.undo();
    expect(text.toString()).toBe('ONE two three!');
    undo.redo();
    expect(text.toString()).toBe('ONE and a half two three!');
  });
});

/** The content of a text after it is replaced. */
const replacedBy = (start: object[], target: string): unknown => {
  const doc = documentWith((made) => made.getText('k').applyDelta(start));
  replaceText(doc.getText('k'), target);
  return doc.getText('k').toDelta();
};

const strong = { insert: 'strong', attributes: { bold: true } };
const TITLE = [{ insert: 'Title' }, { insert: '\n', attributes: { header: 1 } }];
const image = { insert: { image: 'x' } };

it.each<[what: string, start: object[], target: string, after: object[]]>([
  [
    'is copied from the first replaced character, as when typing over a selection',
    [{ insert: 'a ' }, strong, { insert: ' word' }],
    'a mighty word',
    [{ insert: 'a ' }, { ...strong, insert: 'mighty' }, { insert: ' word' }],
  ],
  [
    'continues from the character on the left',
    [strong, { insert: ' word' }],
    'stronger word',
    [{ ...strong, insert: 'stronger' }, { insert: ' word' }],
  ],
  [
    'does not continue over a line break',
    [...TITLE, { insert: 'end\n' }],
    'Title\nnew\nend\n',
    [...TITLE, { insert: 'new\nend\n' }],
  ],
])('formatting %s', (_, start, target, after) => {
  expect(replacedBy(start, target)).toEqual(after);
});

it('text that is inserted at the start of a passage is formatted like the passage', () => {
  const doc = documentWith((made) => made.getText('k').applyDelta([{ insert: 'a ' }, strong]));
  const [quote, replacement] = ['strong', 'very strong'];
  replacePassage(doc.getText('k'), { offset: 2, quote, replacement });
  const expected = [{ insert: 'a ' }, { ...strong, insert: replacement }];
  expect(doc.getText('k').toDelta()).toEqual(expected);
});

it('embeds stay in place beside changed text, and are deleted with the text on both sides', () => {
  for (const [target, after] of [
    ['Xabcdef', [{ insert: 'Xabc' }, image, { insert: 'def' }]],
    ['abcdefX', [{ insert: 'abc' }, image, { insert: 'defX' }]],
    ['def', [image, { insert: 'def' }]],
    ['abc', [{ insert: 'abc' }, image]],
    ['af', [{ insert: 'af' }]],
  ] as const) {
    expect(replacedBy([{ insert: 'abc' }, image, { insert: 'def' }], target)).toEqual(after);
  }
  expect(replacedBy([image], 'hello')).toEqual([{ insert: 'hello' }, image]);
});
