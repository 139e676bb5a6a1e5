import { z } from 'zod';
import { Pace } from '../platform/event-loop.ts';
import { PreserializedJson } from '../platform/json.ts';
import { MAX_ISSUES } from './responses/failures.ts';
import { isLongJson, noteShort } from './responses/write-in-chunks.ts';

/** A list or a map within a schema. */
interface Part {
  keys: string[];
  isMap: boolean;
  element: z.ZodType;
}

/** A schema divided into its lists, whose elements are validated one by one, and the rest. */
interface Division {
  parts: Part[];
  rest: z.ZodType;
}

/**
 * Returns the schema for a procedure: the lists of a long value are validated element by element,
 * and other work runs in between. Short values are validated at once.
 */
export function inChunks<Schema extends z.ZodType>(schema: Schema): Schema {
  return Object.assign(schema.clone(), {
    parse(value: unknown) {
      if (divisionOf(schema).parts.length === 0) return schema.parse(value);
      return isLongJson(value) ? parse(schema, value) : noteShort(schema.parse(value));
    },
  });
}

/** Validates a value, and yields to other work where it is long. */
export async function parse(
  schema: z.ZodType,
  value: unknown,
  pace = new Pace(),
): Promise<unknown> {
  const { parts, rest } = divisionOf(schema);
  const issues: z.core.$ZodIssue[] = [];
  let checked = value;
  for (const part of parts) {
    const list = listAt(value, part);
    if (list) checked = replaced(checked, part.keys, await parseList(list, part, issues, pace));
  }
  const result = rest.safeParse(checked);
  if (result.success && issues.length === 0) return result.data;
  // tRPC serializes all issues as soon as it sees the error.
  throw new z.ZodRealError([...(result.error?.issues ?? []), ...issues].slice(0, MAX_ISSUES));
}

type List = unknown[] | Record<string, unknown>;

async function parseList(
  list: List,
  part: Part,
  issues: z.core.$ZodIssue[],
  pace: Pace,
): Promise<List> {
  const made: List = part.isMap ? {} : [];
  for (const key of Object.keys(list)) {
    if (key === '__proto__') continue;
    await pace.next();
    const item = (list as Record<string, unknown>)[key];
    const result = await parseElement(part.element, item, pace);
    (made as Record<string, unknown>)[key] = result.value;
    const place = [...part.keys, part.isMap ? key : Number(key)];
    for (const issue of result.issues.slice(0, Math.max(0, MAX_ISSUES - issues.length))) {
      issues.push({ ...issue, path: [...place, ...issue.path] });
    }
  }
  return made;
}

async function parseElement(element: z.ZodType, item: unknown, pace: Pace) {
  if (item instanceof PreserializedJson) return { value: item, issues: [] };
  if (!isLong(element, item)) {
    const { data, error } = element.safeParse(item);
    return { value: data, issues: error?.issues ?? [] };
  }
  try {
    return { value: await parse(element, item, pace), issues: [] };
  } catch (error) {
    if (error instanceof z.ZodError) return { value: item, issues: error.issues };
    throw error;
  }
}

/** Whether validating the value takes long and can be divided. */
const isLong = (schema: z.ZodType, value: unknown): boolean =>
  divisionOf(schema).parts.length > 0 && isLongJson(value);

function listAt(value: unknown, { keys, isMap }: Part): List | undefined {
  let list = value;
  for (const key of keys) {
    if (!isObject(list) || !Object.hasOwn(list, key)) return undefined;
    list = list[key];
  }
  return isObject(list) && Array.isArray(list) !== isMap ? (list as List) : undefined;
}

function replaced(value: unknown, [key, ...inner]: string[], list: List): unknown {
  if (key === undefined) return list;
  const object = value as Record<string, unknown>;
  return { ...object, [key]: replaced(object[key], inner, list) };
}

const divisions = new WeakMap<z.ZodType, Division>();

function divisionOf(schema: z.ZodType): Division {
  const known = divisions.get(schema);
  if (known) return known;
  const division = divide(schema);
  divisions.set(schema, division);
  return division;
}

function divide(schema: z.ZodType): Division {
  if (schema instanceof z.ZodArray) {
    const element = schema.element as z.ZodType;
    const rest = schema.clone({ ...schema.def, element: z.any() });
    return { parts: [{ keys: [], isMap: false, element }], rest };
  }
  if (schema instanceof z.ZodRecord) {
    const element = schema.valueType as z.ZodType;
    const rest = schema.clone({ ...schema.def, valueType: z.any() });
    return { parts: [{ keys: [], isMap: true, element }], rest };
  }
  if (schema instanceof z.ZodObject) return divideObject(schema);
  if (schema instanceof z.ZodUnion) return divideUnion(schema);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    const { parts, rest } = divisionOf(schema.unwrap() as z.ZodType);
    return { parts, rest: schema.clone({ ...schema.def, innerType: rest } as never) };
  }
  return { parts: [], rest: schema };
}

function divideObject(schema: z.ZodObject): Division {
  const divided = Object.entries(schema.shape).map(
    ([name, field]) => [name, divisionOf(field as z.ZodType)] as const,
  );
  const parts = divided.flatMap(([name, division]) =>
    division.parts.map((part) => ({ ...part, keys: [name, ...part.keys] })),
  );
  if (parts.length === 0) return { parts, rest: schema };
  const shape = Object.fromEntries(divided.map(([name, { rest }]) => [name, rest]));
  return { parts, rest: schema.clone({ ...schema.def, shape }) };
}

/** A value matches either a list or a map, but it could match two lists. */
function divideUnion(schema: z.ZodUnion): Division {
  const options = schema.options.map((option) => divisionOf(option as z.ZodType));
  const parts = options.flatMap((option) => option.parts);
  const kinds = new Set(parts.map(({ isMap }) => isMap));
  const isClear =
    options.every(({ parts: [own, ...more] }) => own?.keys.length === 0 && more.length === 0) &&
    kinds.size === parts.length;
  if (!isClear) return { parts: [], rest: schema };
  const rest = schema.clone({ ...schema.def, options: options.map((option) => option.rest) });
  return { parts, rest };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
