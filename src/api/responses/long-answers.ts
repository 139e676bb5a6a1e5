import { z } from 'zod';
import { nextChunk } from '../../platform/event-loop.ts';
import { PreserializedJson, writeJson } from '../../platform/json.ts';

/** How many values and characters are validated and serialized in some milliseconds. */
const MAX_VALUES = 10_000;
const MAX_LENGTH = 256 * 1024;
/** The length of the chunks of an answer. */
const CHUNK_LENGTH = 64 * 1024;

/** Objects with fields that are serialized. */
const withSerialized = new WeakSet<object>();

/** Whether an answer is serialized, or a field in it: only `writeJson` inserts such a field. */
export const isSerialized = (answer: unknown): boolean =>
  answer instanceof PreserializedJson || withSerialized.has(Object(answer));

/**
 * Returns a schema for the output of a procedure. A page may hold a thousand rows of 16 KB, so the items of
 * long lists and maps are validated and serialized one by one, and other work runs in between. What is
 * serialized becomes `PreserializedJson`, and objects around it stay objects, since envelopes take them
 * apart.
 */
export function serializingLong<Schema extends z.ZodType>(schema: Schema): Schema {
  return Object.assign(schema.clone(), {
    parse: (value: unknown) => (isLong(value) ? serialized(schema, value) : schema.parse(value)),
  });
}

async function serialized(schema: z.ZodType, value: unknown): Promise<object> {
  if (!(schema instanceof z.ZodObject) || schema.def.catchall || !isObject(value)) {
    const chunks: string[] = [];
    await write(schema, value, chunks);
    return new PreserializedJson(chunks);
  }
  const made: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape as Record<string, z.ZodType>)) {
    const part = value[name];
    made[name] = isLong(part) ? await serialized(field, part) : field.parse(part);
  }
  withSerialized.add(made);
  return made;
}

async function write(schema: z.ZodType, value: unknown, chunks: string[]): Promise<void> {
  const element = isObject(value) ? elementOf(schema, value) : undefined;
  if (!isObject(value) || !element) {
    await nextChunk();
    const whole = value instanceof PreserializedJson ? value : schema.parse(value);
    return add(chunks, writeJson(whole));
  }
  const isList = Array.isArray(value);
  add(chunks, isList ? '[' : '{');
  let separator = '';
  for (const [name, item] of Object.entries(value)) {
    // Records leave this key out.
    if (name === '__proto__') continue;
    add(chunks, isList ? separator : `${separator}${JSON.stringify(name)}:`);
    separator = ',';
    await write(element, item, chunks);
  }
  add(chunks, isList ? ']' : '}');
}

/** Returns the schema of the items if the value is a list or a map; undefined for all others. */
function elementOf(schema: z.ZodType, value: object): z.ZodType | undefined {
  if (schema instanceof z.ZodArray && Array.isArray(value)) return schema.element as z.ZodType;
  if (schema instanceof z.ZodRecord && !Array.isArray(value)) return schema.valueType as z.ZodType;
  if (schema instanceof z.ZodOptional) return elementOf(schema.unwrap() as z.ZodType, value);
  if (!(schema instanceof z.ZodUnion)) return undefined;
  const kind = Array.isArray(value) ? z.ZodArray : z.ZodRecord;
  const [option, ...others] = schema.options.filter((one) => one instanceof kind);
  return option && others.length === 0 ? elementOf(option as z.ZodType, value) : undefined;
}

function add(chunks: string[], text: string): void {
  const last = chunks.length - 1;
  const open = chunks[last];
  if (open === undefined || open.length >= CHUNK_LENGTH) chunks.push(text);
  else chunks[last] = open + text;
}

function isLong(value: unknown): boolean {
  let [values, length] = [MAX_VALUES, MAX_LENGTH];
  const fits = (item: unknown): boolean => {
    values -= 1;
    if (typeof item === 'string') length -= item.length;
    if (values < 0 || length < 0) return false;
    if (typeof item !== 'object' || item === null) return true;
    if (item instanceof PreserializedJson) return false;
    // Enumerating the keys of a list would take several times as long.
    if (Array.isArray(item)) return item.every(fits);
    for (const key in item) if (!fits((item as Record<string, unknown>)[key])) return false;
    return true;
  };
  return !fits(value);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !(value instanceof PreserializedJson);
