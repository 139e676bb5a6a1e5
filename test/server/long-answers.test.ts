import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isSerialized, serializingLong } from '../../src/api/responses/long-answers.ts';
import { preserialize, preserializedRecord } from '../../src/api/responses/preserialized.ts';
import { PreserializedJson, writeJsonChunks } from '../../src/platform/json.ts';

/** Long enough for its list to be serialized item by item. */
const filler = 'x'.repeat(100_000);
const item = z.looseObject({ id: z.string(), size: z.number().default(5) });
const page = z.object({
  data: z.union([z.array(item.nullable()), z.record(z.string(), z.array(item))]),
  extra: z.object({ names: z.array(z.string()).optional() }).optional(),
  nextPageToken: z.string().nullish(),
});

const items = fc
  .array(fc.record({ id: fc.string({ unit: 'binary' }), own: fc.jsonValue({ maxDepth: 2 }) }), {
    maxLength: 5,
  })
  .map((some) => [...some, ...Array.from({ length: 4 }, () => ({ id: '', filler }))]);
const answers = fc.record(
  {
    data: fc.oneof(
      items.map((some) => [null, ...some]),
      fc.dictionary(fc.string({ unit: 'binary' }), items, { minKeys: 1 }),
    ),
    extra: fc.constantFrom({}, { names: ['a'] }, { names: Array(12_000).fill('a'), unknown: 1 }),
    nextPageToken: fc.constantFrom(null, 'next'),
    unknown: fc.constant(1),
  },
  { requiredKeys: ['data'] },
);

describe('a long answer', () => {
  it('is the text that validating and serializing it at once would make', async () => {
    await fc.assert(
      fc.asyncProperty(answers, async (answer) => {
        const made = await serializingLong(page).parse(answer);
        expect(isSerialized(made)).toBe(true);
        expect(writeJsonChunks({ made }).length).toBeGreaterThan(1);
        expect(writeJsonChunks({ made }).join('')).toBe(
          JSON.stringify({ made: page.parse(answer) }),
        );
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['an item', { data: [{ id: 1 }, { id: '', filler: filler.repeat(4) }] }],
    ['a field beside a list', { data: [{ id: '', filler: filler.repeat(4) }], nextPageToken: 1 }],
  ])('is refused for %s that is not valid', async (_what, answer) => {
    await expect(async () => serializingLong(page).parse(answer)).rejects.toThrow(z.ZodError);
  });

  it('keeps what is serialized already', async () => {
    const part = z.object({ role: z.string() });
    const one = preserialize(part, { role: 'viewer' });
    const made = await serializingLong(preserializedRecord(part)).parse({ ada: one, grace: one });
    expect(made).toBeInstanceOf(PreserializedJson);
    expect(writeJsonChunks(made).join('')).toBe(
      '{"ada":{"role":"viewer"},"grace":{"role":"viewer"}}',
    );
  });

  it('stays an object if it is short', () => {
    const answer = page.parse({ data: [{ id: 'a' }] });
    expect(serializingLong(page).parse(answer)).toEqual(answer);
    expect(isSerialized(answer)).toBe(false);
  });
});
