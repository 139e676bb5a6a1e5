import type { JsonObject, JsonValue } from '../json.ts';
import { speakable } from './xml-tree.ts';

const NUMBERS = new Set(['level', 'start', 'order', 'colspan', 'rowspan', 'indent']);
const BOOLEANS = new Set(['checked']);
const NUMBER = /^-?\d+(\.\d+)?$/;

/** Lexical keeps its properties under two underscores and in camel case. */
const plainName = (name: string): string => name.replace(/^__/, '').toLowerCase();

/**
 * The value of an attribute (decisions section 5): JSON in braces; else a number or boolean where
 * editors expect one; else a string.
 *
 * @throws SyntaxError for braces without JSON in them.
 */
export function readAttribute(name: string, text: string): JsonValue {
  if (isBraced(text)) return JSON.parse(text.slice(1, -1));
  if (NUMBERS.has(plainName(name)) && NUMBER.test(text)) return Number(text);
  if (BOOLEANS.has(plainName(name)) && (text === 'true' || text === 'false'))
    return text === 'true';
  return text;
}

/** The text that `readAttribute` takes for this value. */
export function writeAttribute(name: string, value: JsonValue): string {
  const isPlain =
    typeof value === 'string' && !isBraced(value) && readAttribute(name, value) === value;
  return isPlain ? value : `{${JSON.stringify(value)}}`;
}

const isBraced = (text: string): boolean => text.startsWith('{') && text.endsWith('}');

/** The same JSON with nothing in it that XML cannot say. */
export function speakableJson(value: JsonValue): JsonValue {
  if (typeof value === 'string') return speakable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(speakableJson);
  return speakableFields(value);
}

export const speakableFields = (object: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(object).map(([key, value]) => [speakable(key), speakableJson(value)]),
  );
