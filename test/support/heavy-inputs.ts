import { schemasOf } from '../../src/server/contract/operation-schemas.ts';
import type { Operation } from '../../src/server/rest.ts';
import { isId } from './input-fields.ts';
import { inputSchemaOf, type JsonSchema } from './input-schema.ts';

type Schema = JsonSchema & { additionalProperties?: Schema | boolean };

/** How an input is filled. The numbers are chosen so that a body stays within its limits. */
export interface Fill {
  items: number;
  /** The number of own fields in each object that accepts them. */
  keys: number;
  textLength: number;
  /** The depth of nested lists in one free field. */
  depth: number;
  /** Adds fields that the example lacks, except ids, which often exclude each other. */
  isComplete: boolean;
}

export const NONE: Fill = { items: 1, keys: 0, textLength: 0, depth: 0, isComplete: false };

/**
 * Inputs of the largest accepted size in different dimensions. A body may have 60,000 fields and
 * 5 MB.
 */
export const FILLS: Record<string, Fill> = {
  'many items': { ...NONE, items: 1_000, keys: 40, textLength: 200 },
  'many keys': { ...NONE, items: 25, keys: 1_900 },
  'long texts': { ...NONE, items: 64, textLength: 65_000 },
  'long texts in many items': { ...NONE, items: 1_000, textLength: 4_000 },
  'one full item': { ...NONE, keys: 7_000, textLength: 65_000, isComplete: true },
  'complete items': { ...NONE, items: 100, keys: 150, textLength: 1_000, isComplete: true },
  'deep items': { ...NONE, items: 1_000, depth: 28, isComplete: true },
};

const MAX_BYTES = 5_100_000;
const MAX_FIELDS = 38_000;

/** The filled example of an operation. Lists are shorter if the body would exceed its limits. */
export function heavyInput(operation: Operation, fill: Fill): object {
  const json = inputSchemaOf(schemasOf(operation).input);
  for (let items = fill.items; ; items = Math.ceil(items * 0.7)) {
    const input = filled(json as Schema, operation.meta.example.request, { ...fill, items }, '');
    const text = JSON.stringify(input);
    const fields = text.split(':').length + text.split(',').length;
    if (items <= 1 || (text.length < MAX_BYTES && fields < MAX_FIELDS)) return input as object;
  }
}

function filled(schema: Schema, example: unknown, fill: Fill, suffix: string): unknown {
  const options = schema.anyOf as Schema[] | undefined;
  if (options) {
    const type = Array.isArray(example) ? 'array' : typeof example;
    const option = options.find((one) => one.type === type) ?? options[0];
    return filled(option ?? {}, example, fill, suffix);
  }
  if (schema.enum || schema.const !== undefined) return example ?? schema.enum?.[0] ?? schema.const;
  switch (schema.type) {
    case 'string':
      return textFor(schema, example, fill, suffix);
    case 'integer':
    case 'number':
      return suffix === '' ? (example ?? 1) : Number(suffix.split('-').at(-1)) + 1;
    case 'array':
      return listFor(schema, example, fill, suffix);
    case 'object':
      return objectFor(schema, example, fill, suffix);
    default:
      return example ?? (schema.type === 'boolean' ? false : 'x');
  }
}

function textFor(schema: Schema, example: unknown, { textLength }: Fill, suffix: string): unknown {
  if (isId(schema)) return `${example ?? 'id'}${suffix}`;
  const { maxLength = 0 } = schema;
  const isFixed = typeof example === 'string' && /^\w+:|@|^[\w.*-]+\.\w+$/.test(example);
  if (isFixed || textLength < maxLength / 100 || maxLength < 500) return example ?? '';
  return '<b>'.repeat(Math.ceil(Math.min(maxLength, textLength) / 3)).slice(0, maxLength);
}

function listFor(schema: Schema, example: unknown, fill: Fill, suffix: string): unknown[] {
  const { items = {}, maxItems = fill.items } = schema;
  const [first] = Array.isArray(example) ? example : [];
  // Nested lists share the number of items.
  const count = suffix === '' ? fill.items : Math.min(fill.items, 3);
  return Array.from({ length: Math.max(1, Math.min(count, maxItems)) }, (_, at) =>
    filled(items as Schema, first, fill, `${suffix}-${at}`),
  );
}

function objectFor(schema: Schema, example: unknown, fill: Fill, suffix: string): object {
  const given = Object(example) as Record<string, unknown>;
  const properties = Object.entries(schema.properties ?? {}) as Array<[string, Schema]>;
  const isWanted = (name: string, field: Schema) =>
    name in given || schema.required?.includes(name) || (fill.isComplete && !isId(field));
  const known = properties
    .filter(([name, field]) => isWanted(name, field))
    // Ids of places are kept, so that the resources are found.
    .map(([name, field]) => {
      const own = name === 'organizationId' && schema.required?.length !== 1 ? '' : suffix;
      return [name, filled(field, given[name], fill, own)] as const;
    });
  const more = schema.additionalProperties;
  if (!more) return Object.fromEntries(known);
  return { ...given, ...ownFields(more, fill), ...Object.fromEntries(known) };
}

function ownFields(values: Schema | true, { keys, depth, textLength }: Fill): object {
  const isFree = values === true || Object.keys(values).length === 0;
  const value = isFree ? 1 : values.type === 'boolean' ? true : values.type === 'string' ? '' : [];
  const entries: Array<[string, unknown]> = Array.from({ length: keys }, (_, at) => [
    `k${at.toString(36)}`,
    value,
  ]);
  if (isFree && depth > 0) entries.push(['deep', nested(depth)]);
  if (isFree && keys === 0 && depth === 0) entries.push(['long', 'x'.repeat(textLength / 5)]);
  return Object.fromEntries(entries);
}

const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);
