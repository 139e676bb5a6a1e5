import fc from 'fast-check';
import type { z } from 'zod';
import { schemasOf } from '../../../src/server/contract/describe-contract.ts';
import type { Operation } from '../../../src/server/rest.ts';
import { isId } from '../input-fields.ts';
import { inputSchemaOf, type JsonSchema } from '../input-schema.ts';

/** Few ids, so that requests find resources of earlier ones. */
const IDS = ['acme', 'plan', 'ada', 'bob', 'team', 'notes', 'a/b:c', 'ünï 😀', 'constructor', '0'];
const texts = fc.oneof(
  fc.constantFrom('', 'x', 'https://127.0.0.1:9/x', '{actionUser} {a}', '<p>a</p>', '漢字かな'),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
const freeJson = fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' });
const freeObjects = fc.dictionary(fc.string({ maxLength: 8 }), freeJson, { maxKeys: 4 });

/** Inputs by the schema of an operation, of which most are accepted. */
export const inputsOf = (operation: Operation): fc.Arbitrary<unknown> =>
  inputsFor(schemasOf(operation).input, operation.meta.example.request);

export function inputsFor(input: z.ZodType, example: object): fc.Arbitrary<unknown> {
  return valuesOf(inputSchemaOf(input), harmless(example));
}

/** URLs of examples belong to others, and must not be called. */
const harmless = (example: object): unknown =>
  JSON.parse(JSON.stringify(example).replaceAll(/https?:\/\/[\w.-]+/g, 'https://127.0.0.1:9'));

function valuesOf(schema: JsonSchema, example?: unknown): fc.Arbitrary<unknown> {
  const made = madeOf(schema, example);
  const isGiven = example !== undefined && typeof example !== 'object';
  return isGiven ? fc.oneof({ weight: 3, arbitrary: fc.constant(example) }, made) : made;
}

function madeOf(schema: JsonSchema, example: unknown): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valuesOf(one, example)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'string':
      if (schema.format === 'email') return fc.constantFrom('ada@example.com', 'b@example.org');
      return isId(schema)
        ? fc.constantFrom(...IDS)
        : texts.map((text) => text.slice(0, schema.maxLength));
    case 'integer':
      return fc.integer({
        min: schema.minimum ?? -5,
        max: Math.min(schema.maximum ?? 5_000, 2 ** 31),
      });
    case 'number':
      return fc.oneof(fc.integer({ min: 0, max: 100 }), fc.double({ noNaN: true }));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, firstOf(example)), { maxLength: 3 });
    case 'object':
      return objectsOf(schema, example);
    default:
      return freeJson;
  }
}

const firstOf = (example: unknown): unknown => (Array.isArray(example) ? example[0] : undefined);

function objectsOf(schema: JsonSchema, example: unknown): fc.Arbitrary<unknown> {
  const given = Object(example) as Record<string, unknown>;
  const { properties = {}, additionalProperties } = schema;
  const fields = Object.entries(properties).map(([name, child]) => {
    const values = valuesOf(child, given[name]);
    if (schema.required?.includes(name)) return values.map((value) => [name, value] as const);
    const likely = name in given ? 4 : 1;
    const absent = fc.constant([name, undefined] as const);
    return fc.oneof(
      { weight: likely, arbitrary: values.map((value) => [name, value] as const) },
      { weight: 2, arbitrary: absent },
    );
  });
  const more = additionalProperties
    ? fc.oneof(fc.constant({}), moreFields(additionalProperties))
    : fc.constant({});
  return fc
    .tuple(fc.tuple(...fields), more)
    .map(([pairs, others]) => ({ ...others, ...Object.fromEntries(pairs) }));
}

const moreFields = (values: JsonSchema | true): fc.Arbitrary<object> =>
  values === true || Object.keys(values).length === 0
    ? freeObjects
    : fc.dictionary(fc.constantFrom('comment', 'added', 'team', 'x'), valuesOf(values), {
        maxKeys: 3,
      });
