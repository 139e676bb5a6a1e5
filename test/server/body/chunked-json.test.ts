import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseJsonInChunks } from '../../../src/api/body/parse-json-in-chunks.ts';
import { writeInChunks } from '../../../src/api/responses/write-in-chunks.ts';
import { inChunks } from '../../../src/api/validate-in-chunks.ts';

const outcomeOf = async (work: () => unknown): Promise<unknown> => {
  try {
    return { value: await work() };
  } catch {
    return 'refused';
  }
};

/** Long enough to be processed in several chunks. */
const filler = 'x'.repeat(100_000);
const long = fc
  .array(fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 }), { minLength: 3, maxLength: 6 })
  // The parser of request bodies refuses these.
  .filter((values) => !JSON.stringify(values).includes('__proto__'))
  .map((values) => ({
    data: values.map((value) => ({ value, filler })),
    map: Object.fromEntries(values.map((value, at) => [`k${at}`, [value, filler]])),
    '': filler,
  }));

describe('JSON that is parsed in chunks', () => {
  const parse = (text: string) => parseJsonInChunks(Buffer.from(text), JSON.parse);

  it('equals the result of parsing at once', async () => {
    await fc.assert(
      fc.asyncProperty(long, fc.constantFrom(undefined, 1), async (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(await parse(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 20 },
    );
  });

  it('is refused like the same text at once', async () => {
    const changes = fc.tuple(fc.nat(), fc.constantFrom('', ',', ']', '}', '[', '{', ':', '"', '1'));
    const text = JSON.stringify({ data: [{ a: filler, b: [1, 2] }, { a: filler }, [filler], {}] });
    await fc.assert(
      fc.asyncProperty(changes, async ([place, put]) => {
        // Chunks apply to structure, not only to text.
        const marks = [...text.matchAll(/[^x]/g)].map(({ index }) => index);
        const at = marks[place % marks.length] ?? 0;
        const changed = text.slice(0, at) + put + text.slice(at + 1);
        const whole = await outcomeOf(() => JSON.parse(changed));
        expect(await outcomeOf(() => parse(changed))).toEqual(whole);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a value that is validated in chunks', () => {
  const item = z.looseObject({
    id: z.string().max(5),
    size: z.number().optional(),
    parts: z
      .array(z.object({ name: z.string() }))
      .max(40)
      .optional(),
  });
  const schema = z
    .object({
      items: z.array(item).min(1).max(30),
      ids: z.array(z.string()).nullable().optional(),
      map: z.record(z.string().max(3), z.number()).optional(),
      either: z.union([z.array(z.string()), z.record(z.string(), z.array(z.string()))]).optional(),
      limit: z.number().default(5),
    })
    .refine(({ items, limit }) => items.length > limit, 'must have more items');
  const procedure = inChunks(schema);

  const items = fc.array(
    fc.record(
      {
        id: fc.oneof(
          { weight: 30, arbitrary: fc.string({ maxLength: 5 }) },
          fc.constant('too long'),
        ),
        size: fc.oneof({ weight: 30, arbitrary: fc.nat() }, fc.constant('large')),
        parts: fc.array(fc.record({ name: fc.string() }), { maxLength: 41 }),
        own: fc.jsonValue({ maxDepth: 1 }),
      },
      { requiredKeys: ['id'] },
    ),
    { minLength: 10, maxLength: 32, size: 'max' },
  );
  const values = fc.record(
    {
      items,
      ids: fc.constantFrom(null, [], Array(20).fill('a'), Array(20).fill(1)),
      map: fc.constantFrom({ a: 1 }, { long: 1 }, { a: 'x' }),
      either: fc.constantFrom(['a'], { a: ['b'] }, { a: [1] }, 5),
      limit: fc.constantFrom(1, 20, 'x'),
    },
    { requiredKeys: ['items'] },
  );
  // With chunks, the problem names the union option that the value belongs to.
  const nameOf = ({ path, message }: z.core.$ZodIssue) =>
    path[0] === 'either' ? 'either' : `${path.join('.')}: ${message}`;
  const problemsOf = (error: z.ZodError | undefined) => new Set(error?.issues.map(nameOf));

  it('has the same result as at once, with the same problems', async () => {
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const whole = schema.safeParse(value);
        const checked = await outcomeOf(() => procedure.parse(value));
        if (whole.success) {
          expect(checked).toEqual({ value: whole.data });
          return;
        }
        const error = await Promise.resolve(value)
          .then(procedure.parse)
          .catch((one) => one);
        for (const problem of problemsOf(whole.error)) expect(problemsOf(error)).toContain(problem);
      }),
    );
  });

  it('reports at most a hundred problems, since each takes time', async () => {
    const numbers = inChunks(z.array(z.record(z.string(), z.number())));
    const wrong = Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`k${at}`, 'x']));
    const error = await Promise.resolve([wrong, wrong])
      .then(numbers.parse)
      .catch((one) => one);
    expect(error.issues).toHaveLength(100);
  });
});

describe('an answer that is serialized in chunks', () => {
  it('equals the answer at once', async () => {
    await fc.assert(
      fc.asyncProperty(long, async (value) => {
        const [some, chunks] = [{ ...value, absent: undefined }, await writeInChunks(value)];
        expect(chunks.length).toBeGreaterThan(1);
        expect((await writeInChunks(some)).join('')).toBe(JSON.stringify(some));
      }),
      { numRuns: 20 },
    );
  });
});
