import fc from 'fast-check';
import superjson from 'superjson';
import { describe, expect, it } from 'vitest';
import { transformer } from '../../src/api/transformer.ts';

const { deserialize } = transformer.input;
const throughTheWire = (value: unknown) => JSON.parse(JSON.stringify(value));
const refusal = expect.objectContaining({ status: 'INVALID_ARGUMENT' });

/** V8 13.6 may confuse keys with two backslashes in a row with a key that it has just parsed. */
const keys = fc.constantFrom('a', '0', '', '.', '..', 'a.b', '\\', '\\.', 'a\\b', '.\\', '\\a\\');

/** Input of typed clients: JSON with undefined fields, and keys with any characters. */
const { value: inputs } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(undefined, null, true, 0, '', 'text'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
  ),
}));

describe('input of a typed client', () => {
  it('arrives as JSON would arrive', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const read = deserialize(throughTheWire(superjson.serialize(input)));
        expect(read).toStrictEqual(input === undefined ? undefined : throughTheWire(input));
      }),
    );
  });

  it('may contain a negative zero, which JSON writes as 0, and one object many times', () => {
    const shared = { userId: 'ada', name: undefined, points: [[-0, 1]] };
    const sent = superjson.serialize({ from: shared, to: [shared, shared] });
    expect(sent.meta).toHaveProperty('referentialEqualities');
    const one = { userId: 'ada', points: [[0, 1]] };
    expect(deserialize(throughTheWire(sent))).toStrictEqual({ from: one, to: [one, one] });
  });
});

describe('superjson annotations', () => {
  it('cannot expand a small input', () => {
    const levels = 40;
    const json = Object.fromEntries(
      Array.from({ length: levels }, (_, at) => [`l${at}`, { a: 1, b: 1 }]),
    );
    const equalities = Array.from({ length: levels - 1 }, (_, at) => [
      `l${at}`,
      [`l${at + 1}.a`, `l${at + 1}.b`],
    ]);
    const input = { json, meta: { referentialEqualities: Object.fromEntries(equalities), v: 1 } };
    expect(deserialize(input)).toStrictEqual(json);
  });

  it.each([
    ['an index beyond a list', { values: { 'list.100000000': ['undefined'] } }],
    ['the length of a list', { values: { 'list.length': ['undefined'] } }],
    ['a field that is not there', { values: { 'object.b': ['undefined'] } }],
    ['a place in a text', { values: { 'text.0': ['undefined'] } }],
    ['a prototype', { values: { '__proto__.a': ['undefined'] } }],
    ['a constructor', { values: { 'object.constructor.prototype': ['undefined'] } }],
    ['a place deeper than any', { values: { [`${'object.'.repeat(1_000_000)}a`]: ['undefined'] } }],
    ['places in lists of lists', { values: { list: [['undefined']] } }],
    ['no object', { values: 'undefined' }],
  ])('may not name %s', (_what, meta) => {
    const json = { list: [1], object: { a: 1 }, text: 'abc' };
    expect(() => deserialize({ json, meta: { ...meta, v: 1 } })).toThrow(refusal);
    expect({}).not.toHaveProperty('a');
  });

  it.each([undefined, null, 5, 'text', [], {}, { meta: {} }])('need JSON: %j', (input) => {
    expect(() => deserialize(input)).toThrow(refusal);
  });
});
