import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { declaredOutput } from '../../src/api/responses/declared-output.ts';
import { isLong, serializeLong } from '../../src/api/responses/long-responses.ts';
import { PreserializedJson, preserialize } from '../../src/platform/json.ts';

/** Long enough for an answer with some of it to be serialized in parts. */
const filler = 'x'.repeat(100_000);

const items = fc
  .array(fc.record({ id: fc.string({ unit: 'binary' }), own: fc.jsonValue({ maxDepth: 2 }) }), {
    maxLength: 5,
  })
  .map((some) => [...some, ...Array.from({ length: 4 }, () => ({ id: '', filler }))]);
const answers = fc.record(
  {
    data: fc.oneof(
      items.map((some) => [null, undefined, ...some]),
      fc.dictionary(fc.string({ unit: 'binary' }), items, { minKeys: 1 }),
    ),
    extra: fc.constantFrom(undefined, {}, { names: Array(12_000).fill('a') }),
    nextPageToken: fc.constantFrom(null, 'next'),
  },
  { requiredKeys: ['data'] },
);

describe('a long answer', () => {
  it('has the text that serializing it at once would make, in several chunks', async () => {
    await fc.assert(
      fc.asyncProperty(answers, async (answer) => {
        expect(isLong(answer)).toBe(true);
        const chunks = await serializeLong(answer);
        expect(chunks.length).toBeGreaterThan(1);
        expect(chunks.join('')).toBe(JSON.stringify(answer));
      }),
      { numRuns: 30 },
    );
  });

  it('is any answer with a preserialized part, which is sent unchanged', async () => {
    const answer = {
      ada: preserialize({ role: 'viewer' }),
      grace: new PreserializedJson('[ 1 ]'),
    };
    expect(isLong(answer)).toBe(true);
    expect((await serializeLong(answer)).join('')).toBe('{"ada":{"role":"viewer"},"grace":[ 1 ]}');
  });

  it('is not an answer with few values', () => {
    expect(isLong({ data: [{ id: 'a' }], nextPageToken: null })).toBe(false);
  });
});

describe('the output of an operation, which tests check,', () => {
  const output = declaredOutput(z.object({ id: z.string(), size: z.number().optional() }));

  it('is passed on as it is, or refused when a field is missing, unknown, or of a wrong type', () => {
    const answer = { id: 'a', size: undefined };
    expect(output.parse(answer)).toBe(answer);
    for (const wrong of [{}, { id: 'a', secret: 'b' }, { id: preserialize(1) }]) {
      expect(() => output.parse(wrong)).toThrow();
    }
  });
});
