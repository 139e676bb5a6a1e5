import * as Y from 'yjs';
import type { Comparison } from '../align.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { replaceInside } from '../replace-json.ts';
import { toStored } from '../stored-form.ts';
import { defaultOf } from './embedded-kinds.ts';
import type { XmlSource } from './read-xml.ts';

/** Sets the attributes that differ. Values that are shared types are changed inside. */
export function replaceAttributes(
  type: XmlSource,
  before: JsonObject,
  after: JsonObject,
  comparison: Comparison,
): void {
  const access = accessTo(type);
  for (const name of Object.keys(before)) {
    if (Object.hasOwn(after, name)) continue;
    const initial = defaultOf(name);
    // Lexical notices changes to its own properties, but not their removal, so they are reset instead.
    if (initial !== undefined) access.set(name, initial);
    else access.delete(name);
  }
  for (const [name, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    if (old !== undefined && comparison.ids.areEqual(old, value)) continue;
    if (old !== undefined && replaceInside(access.get(name), old, value, comparison)) continue;
    access.set(name, value);
  }
}

/** Sets the attributes of a new type. */
export function setAttributes(type: XmlSource, attributes: JsonObject): void {
  const access = accessTo(type);
  for (const [name, value] of Object.entries(attributes)) access.set(name, value);
}

interface Access {
  get(name: string): unknown;
  set(name: string, value: JsonValue): void;
  delete(name: string): void;
}

/** Returns access to the attributes of a type. Yjs accepts any value, although its types declare strings. */
function accessTo(type: XmlSource): Access {
  if (type instanceof Y.Map) {
    const map: Y.Map<unknown> = type;
    return {
      get: (name) => map.get(name),
      set: (name, value) => void map.set(name, toStoredAttribute(name, value)),
      delete: (name) => map.delete(name),
    };
  }
  return {
    get: (name) => type.getAttribute(name),
    set: (name, value) => type.setAttribute(name, toStoredAttribute(name, value) as string),
    delete: (name) => type.removeAttribute(name),
  };
}

/** Lexical expects the state of a node in a Y.Map; all other values are plain. */
const toStoredAttribute = (name: string, value: JsonValue): unknown =>
  toStored(value, name === '__state' ? 'shared' : 'plain');
