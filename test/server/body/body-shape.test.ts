import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyProblem } from '../../../src/api/body/body-shape.ts';

const problemOf = (text: string) => bodyProblem(Buffer.from(text));
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('the structure of a body', () => {
  it('is accepted if it is neither deep nor has very many values, whatever its text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 }), (value) => {
        expect(problemOf(JSON.stringify(value))).toBeUndefined();
      }),
    );
    expect(problemOf(JSON.stringify({ a: '[{,"\\'.repeat(200_000) }))).toBeUndefined();
    expect(problemOf(`{"a":${nested(99)}}`)).toBeUndefined();
    expect(problemOf(`[${'1,'.repeat(100_000)}1]`)).toBeUndefined();
  });

  it('may be 100 levels deep, and a deeper field is named', () => {
    expect(problemOf(nested(101))?.message).toContain('100 levels');
    expect(problemOf(`{"data":{"x":1,"some \\"field":${nested(99)}}}`)).toMatchObject({
      details: { issues: [{ path: 'some "field', message: 'is nested too deep' }] },
    });
    expect(problemOf(`{"data":[["x",${nested(100)}]]}`)?.details).toBeUndefined();
  });

  it.each([
    ['entries', '1,'],
    ['lists', '[],'],
    ['objects', '{},'],
    ['texts', '"",'],
  ])('may have 120,000 values, such as %s', (_what, part) => {
    expect(problemOf(`[${part.repeat(120_001)}`)).toMatchObject({
      message: expect.stringContaining('120,000 values'),
    });
  });

  it('may have 40,000 fields', () => {
    expect(problemOf(`{${'"a":1,'.repeat(40_001)}`)).toMatchObject({
      message: expect.stringContaining('40,000 fields'),
    });
  });

  it('may have names of 2 MB together', () => {
    const named = (length: number) => `{"a":"${'x'.repeat(length)}","${'x'.repeat(length)}" :1}`;
    expect(problemOf(named(2_000_000))).toBeUndefined();
    expect(problemOf(named(2_200_000))).toMatchObject({
      message: expect.stringContaining('2 MB'),
    });
  });

  it('is scanned to its end if it is malformed', () => {
    for (const text of ['"', '"\\', '{"a', '{"a\\', '{"data":{"', '[', ',']) {
      expect(problemOf(text)).toBeUndefined();
    }
  });
});
