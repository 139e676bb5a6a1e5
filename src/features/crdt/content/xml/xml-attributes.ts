import type { JsonObject, JsonValue } from '../json.ts';
import { xmlSafe } from './xml-tree.ts';

const NUMBER_ATTRIBUTES = new Set(['level', 'start', 'order', 'colspan', 'rowspan', 'indent']);
const BOOLEAN_ATTRIBUTES = new Set(['checked']);
const NUMBER_TEXT = /^-?\d+(\.\d+)?$/;

/** Returns a name in lower case, without the two underscores that Lexical puts first: `__colSpan` becomes `colspan`. */
const plainName = (name: string): string => name.replace(/^__/, '').toLowerCase();

/**
 * Parses the value of an attribute: JSON in braces, a number or boolean for names where editors
 * expect one, else a string.
 *
 * @throws SyntaxError for braces without JSON in them.
 */
export function readAttribute(name: string, text: string): JsonValue {
  if (isBraced(text)) return JSON.parse(text.slice(1, -1));
  if (NUMBER_ATTRIBUTES.has(plainName(name)) && NUMBER_TEXT.test(text)) return Number(text);
  if (BOOLEAN_ATTRIBUTES.has(plainName(name)) && (text === 'true' || text === 'false'))
    return text === 'true';
  return text;
}

/** Returns the text that `readAttribute` parses to this value. */
export function writeAttribute(name: string, value: JsonValue): string {
  const isPlain =
    typeof value === 'string' && !isBraced(value) && readAttribute(name, value) === value;
  return isPlain ? value : `{${JSON.stringify(value)}}`;
}

const isBraced = (text: string): boolean => text.startsWith('{') && text.endsWith('}');

/** Replaces all characters in JSON that XML does not allow. */
export function xmlSafeJson(value: JsonValue): JsonValue {
  if (typeof value === 'string') return xmlSafe(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(xmlSafeJson);
  return xmlSafeFields(value);
}

export const xmlSafeFields = (object: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(object).map(([key, value]) => [xmlSafe(key), xmlSafeJson(value)]),
  );
