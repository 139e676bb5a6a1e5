import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { replaceContent } from '../../../src/features/crdt/content/content.ts';
import type { JsonContentType } from '../../../src/features/crdt/content/content-type.ts';
import type { JsonObject, JsonValue } from '../../../src/features/crdt/content/json.ts';
import { readJson } from '../../../src/features/crdt/content/read-json.ts';
import { copyOf, documentWith, synchronise, updateSizes } from './documents.ts';

const keys = fc.constantFrom('a', 'b', 'id', 'title', '__proto__', 'constructor', '');
const scalars = fc.oneof(
  fc.constantFrom(null, true, false, 0, 1, -1, 1.5, '', 'x', 'one two', '😀'),
  fc.integer(),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
);

/** JSON with few keys and values, so that two values have much in common. */
const { value: jsonValues } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 5 }),
    tie('object'),
  ),
  object: objectsOf(tie('value')),
}));

const jsonObjects = objectsOf(jsonValues);
const jsonArrays = fc.array(jsonValues, { maxLength: 8 });

/** `fromEntries` makes `__proto__` an own key, as `JSON.parse` does. */
function objectsOf(values: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> {
  const entries = fc.array(fc.tuple(keys, values), { maxLength: 5 });
  return entries.map((pairs): JsonObject => Object.fromEntries(pairs));
}

const replace = (doc: Y.Doc, type: JsonContentType, data: JsonValue) =>
  replaceContent(doc, { key: 'k', type }, data);

function documentReading(type: JsonContentType, data: JsonValue): Y.Doc {
  const doc = new Y.Doc();
  replace(doc, type, data);
  return doc;
}

/** Initial content of either type, and two targets. */
const cases = fc.oneof(
  fc.tuple(fc.constant<JsonContentType>('map'), jsonObjects, jsonObjects, jsonObjects),
  fc.tuple(fc.constant<JsonContentType>('array'), jsonArrays, jsonArrays, jsonArrays),
);

describe('any map or array', () => {
  it('equals the target afterwards, also at other clients and after a restart', () => {
    fc.assert(
      fc.property(cases, ([type, before, target]) => {
        const doc = documentReading(type, before);
        const remote = copyOf(doc);
        expect(replace(doc, type, target)).toBe(canonical(before) !== canonical(target));
        synchronise(doc, remote);
        for (const at of [doc, remote, copyOf(doc)]) {
          expect(canonical(readJson(at, 'k', type))).toBe(canonical(target));
        }
        // Equal content in any order of keys sends nothing.
        expect(updateSizes(doc, () => replace(doc, type, sorted(target)))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps concurrent additions to an array', () => {
    fc.assert(
      fc.property(jsonArrays, jsonArrays, fc.array(fc.nat(), { maxLength: 5 }), (...given) => {
        const [before, target, places] = given;
        const doc = documentReading('array', before);
        const remote = copyOf(doc);
        const array = remote.getArray('k');
        for (const place of places) array.insert(place % (array.length + 1), ['§']);
        replace(doc, 'array', target);
        synchronise(doc, remote);
        const now = doc.getArray('k').toArray();
        expect(now.filter((value) => value === '§')).toHaveLength(places.length);
        expect(canonical(readJson(remote, 'k', 'array'))).toBe(
          canonical(readJson(doc, 'k', 'array')),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('keeps the prototype of every object', () => {
    const hostile = JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":2}}');
    const doc = documentReading('map', hostile);
    replace(doc, 'map', JSON.parse('{"__proto__":{"polluted":2},"a":{"__proto__":3}}'));
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(JSON.stringify(readJson(copyOf(doc), 'k', 'map'))).toBe(
      '{"__proto__":{"polluted":2},"a":{"__proto__":3}}',
    );
  });
});

describe('a map', () => {
  it('keeps its contents and changes only what differs', () => {
    const doc = documentWith((made) => {
      const root = made.getMap('k');
      root.set('title', new Y.Text('A title'));
      root.set('author', new Y.Map([['name', 'Ann']]));
      root.set('tags', Y.Array.from(['x', 'y']));
      root.set('old', 1);
    });
    const root = doc.getMap('k');
    const names = ['title', 'author', 'tags'];
    const before = names.map((key) => root.get(key));
    const target = { title: 'A new title', author: { name: 'Bo' }, tags: ['x', 'z', 'y'] };
    replace(doc, 'map', target);
    expect(root.toJSON()).toEqual(target);
    expect(names.map((key, at) => root.get(key) === before[at])).toEqual([true, true, true]);
  });

  it('keeps objects plain if an editor stored them plain', () => {
    const doc = documentWith((made) => made.getMap('k').set('n1', { x: 1, y: 1 }));
    replace(doc, 'map', { n1: { y: 2, x: 1 }, n2: { x: 3, y: 3 } });
    expect([...doc.getMap('k').values()]).toEqual([
      { x: 1, y: 2 },
      { x: 3, y: 3 },
    ]);
  });

  it('loses no field of an object that an editor stored plain, whatever its name', () => {
    const doc = documentWith((made) => made.getMap('k').set('plain', { x: 1 }));
    const target = JSON.parse('{"plain":{"__proto__":{"y":1},"x":2}}');
    replace(doc, 'map', target);
    expect(JSON.stringify(readJson(copyOf(doc), 'k', 'map'))).toBe(JSON.stringify(target));
  });

  it('does not take XML for the text that it is read as', () => {
    const doc = documentWith((made) => made.getMap('k').set('x', new Y.XmlText('same')));
    expect(replace(doc, 'map', { x: 'same' })).toBe(false);
    replace(doc, 'map', { x: 'other' });
    expect(doc.getMap('k').get('x')).toBe('other');
  });

  it('keeps a concurrent edit inside a nested map', () => {
    const doc = documentReading('map', { box: { a: 1, b: 1 } });
    const remote = copyOf(doc);
    const box = remote.getMap<Y.Map<unknown>>('k').get('box');
    box?.set('c', 1);
    replace(doc, 'map', { box: { a: 2, b: 1 } });
    synchronise(doc, remote);
    expect(readJson(doc, 'k', 'map')).toEqual({ box: { a: 2, b: 1, c: 1 } });
  });
});

describe('an array', () => {
  const item = (id: number | string, text = 'text'): JsonValue => ({ id, text });

  it('matches elements by their id, in any position and with any change', () => {
    const doc = documentReading('array', [item(1), item(2), item(3), item(4)]);
    const [, second, third, fourth] = doc.getArray('k').toArray();
    const target = [item('new'), item(2, 'changed'), item(5), item(3, 'too'), item('4'), item(1)];
    replace(doc, 'array', target);
    expect(readJson(doc, 'k', 'array')).toEqual(target);
    const now = doc.getArray('k').toArray();
    expect([now[1] === second, now[3] === third, now[4] === fourth]).toEqual([true, true, false]);
  });

  it('never continues an element with another id, and keeps those whose id another one repeats', () => {
    const doc = documentReading('array', [item(1)]);
    const [numbered] = doc.getArray('k').toArray();
    replace(doc, 'array', [item('1')]);
    expect(doc.getArray('k').get(0)).not.toBe(numbered);
    replace(doc, 'array', [item(1), item(2)]);
    const before = doc.getArray('k').toArray();
    replace(doc, 'array', [{ id: 1 }, item(1), item(2)]);
    expect(
      doc
        .getArray('k')
        .toArray()
        .slice(1)
        .map((node, at) => node === before[at]),
    ).toEqual([true, true]);
  });

  it('changes elements in place if their number is the same', () => {
    const doc = documentReading('array', ['head', { a: 1 }, { b: 1 }, 'tail']);
    const before = doc.getArray('k').toArray();
    replace(doc, 'array', ['head', { a: 2 }, { b: 2 }, 'tail']);
    const now = doc.getArray('k').toArray();
    expect(now.map((node, at) => node === before[at])).toEqual([true, true, true, true]);
  });

  it('keeps every unchanged element', () => {
    const numbered = fc.uniqueArray(fc.nat(30), { maxLength: 20 });
    fc.assert(
      fc.property(numbered, fc.array(jsonValues, { maxLength: 3 }), fc.nat(), (ids, added, at) => {
        const before = ids.map((id) => item(id));
        const doc = documentReading('array', before);
        const nodes = doc.getArray('k').toArray();
        const place = at % (before.length + 1);
        replace(doc, 'array', before.toSpliced(place, 1, ...added));
        const now = doc.getArray('k').toArray();
        const kept = nodes.toSpliced(place, 1);
        expect(now.filter((node) => kept.includes(node))).toEqual(kept);
      }),
      { numRuns: 200 },
    );
  });

  it('changes 50,000 elements without quadratic work', () => {
    const before = Array.from({ length: 99_999 }, (_, index) => index);
    const target = before.map((value) => (value % 2 === 0 ? value : -value));
    const doc = documentReading('array', before);
    replace(doc, 'array', target);
    expect(readJson(copyOf(doc), 'k', 'array')).toEqual(target);
    const nested = documentReading('array', [before.slice(1)]);
    expect(readJson(copyOf(nested), 'k', 'array')).toEqual([before.slice(1)]);
    // The number of items that Yjs keeps, and must shift with every split.
    const structs = [...doc.store.clients.values()].reduce((sum, list) => sum + list.length, 0);
    expect(structs).toBeLessThan(10_000);
  });

  it('never replaces an element with a history to save edits', () => {
    const before = Array.from({ length: 6_000 }, (_, id) => (id % 2 ? item(id) : id));
    const doc = documentReading('array', before);
    const nodes = doc.getArray('k').toArray();
    const target = before.map((value) => (typeof value === 'number' ? -1 - value : value));
    replace(doc, 'array', target);
    const now = doc.getArray('k').toArray();
    expect(now.filter((node, at) => at % 2 === 1 && node !== nodes[at])).toEqual([]);
    expect(readJson(doc, 'k', 'array')).toEqual(target);
  });
});

/** One text for equal values. Matchers of Vitest fail on keys like `constructor`. */
const canonical = (value: JsonValue): string => JSON.stringify(sorted(value));

/** The same value with its keys in reverse order. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, item]) => [key, sorted(item)] as const);
  return Object.fromEntries(fields.sort(([one], [other]) => (one < other ? 1 : -1)));
}
