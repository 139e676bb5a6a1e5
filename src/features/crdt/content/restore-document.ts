import * as Y from 'yjs';
import { align, type Comparison, identityOf, pairsOfEqualCounts, stepsBetween } from './align.ts';
import { changeElements } from './array-edits.ts';
import { openRoot, storedTypeOf } from './content-type.ts';
import { newBudget } from './diff/work-budget.ts';
import { isJsonObject, type JsonValue } from './json.ts';
import { readValue, requireReadDepth } from './read-json.ts';
import { toStored } from './stored-form.ts';
import { ValueIds } from './value-ids.ts';
import { readRuns, replaceRuns } from './xml/rich-runs.ts';
import { copyXml, describeXml, isXmlRoot, openXmlRoot } from './xml/xml-content.ts';

/**
 * Changes every root of a document to its content in `past`, by minimal changes in one transaction.
 * The history and concurrent edits are kept. A root that the past lacks is emptied.
 */
export function restoreDocument(doc: Y.Doc, past: Y.Doc): void {
  const keys = new Set([...doc.share.keys(), ...past.share.keys()]);
  doc.transact(() => {
    for (const key of keys) restoreRoot(doc, past, key);
  });
}

function restoreRoot(doc: Y.Doc, past: Y.Doc, key: string): void {
  const presentType = storedTypeOf(doc, key);
  const pastType = storedTypeOf(past, key);
  const type = pastType ?? presentType;
  // A root that now holds content of another type stays as it is.
  if (type === undefined || (presentType && presentType !== type)) return;
  const docWithType = pastType === undefined ? doc : past;
  const open = (from: Y.Doc) =>
    type === 'xml' ? openXmlRoot(from, key, docWithType) : openRoot(from, key, type);
  new Restoration().restore(open(doc), open(past));
}

/**
 * Changes shared types to their state in the past, by minimal changes. Everything inside them keeps its
 * Yjs type: JSON would turn a text, rich text or bytes into a string, which editors that are bound
 * to them do not understand.
 */
class Restoration {
  readonly #descriptions = new Map<object, JsonValue>();
  readonly #comparison: Comparison = { ids: new ValueIds(), budget: newBudget() };

  /**
   * Changes the content of a node to that of the past node. Returns false, and changes nothing, if the nodes
   * are of different kinds or have no content that can be changed.
   */
  restore(node: unknown, past: unknown): boolean {
    if (this.#comparison.ids.areEqual(this.#describe(node), this.#describe(past))) return true;
    if (node?.constructor !== past?.constructor) return false;
    if (node instanceof Y.Map && past instanceof Y.Map) this.#restoreMap(node, past);
    else if (node instanceof Y.Array && past instanceof Y.Array) this.#restoreArray(node, past);
    else if (isXmlRoot(node) && isXmlRoot(past)) return copyXml(past, node);
    else if (node instanceof Y.Text && past instanceof Y.Text) replaceRuns(node, readRuns(past));
    else return false;
    return true;
  }

  #restoreMap(map: Y.Map<unknown>, past: Y.Map<unknown>): void {
    for (const key of map.keys()) if (!past.has(key)) map.delete(key);
    for (const [key, value] of past) {
      if (map.has(key) && this.restore(map.get(key), value)) continue;
      const copy = emptyCopyOf(value);
      map.set(key, copy);
      this.#fill(copy, value);
    }
  }

  #restoreArray(array: Y.Array<unknown>, past: Y.Array<unknown>): void {
    const nodes = array.toArray();
    const pastNodes = past.toArray();
    const copies: Array<{ copy: unknown; value: unknown }> = [];
    const described = (values: unknown[]) => values.map((value) => this.#describe(value));
    // If as many values were removed as added, most likely each was only changed.
    const rules = { identify, pairInside: pairsOfEqualCounts };
    const pairs = align(described(nodes), described(pastNodes), this.#comparison, rules);
    changeElements(array, nodes, {
      steps: stepsBetween(nodes, pastNodes, pairs),
      changeInside: (node, _, pastNode) => this.#restoreElement(node, pastNode),
      create: (value) => {
        const copy = emptyCopyOf(value);
        copies.push({ copy, value });
        return copy;
      },
    });
    for (const { copy, value } of copies) this.#fill(copy, value);
  }

  /** Restores an element in place, unless the `id` shows that it is another object. @returns whether it was restored */
  #restoreElement(node: unknown, past: unknown): boolean {
    const isSameObject = identify(this.#describe(node)) === identify(this.#describe(past));
    return isSameObject && this.restore(node, past);
  }

  /** Fills an empty copy that has been inserted into the document. Plain values are already complete. */
  #fill(copy: unknown, value: unknown): void {
    if (copy instanceof Y.AbstractType) this.restore(copy, value);
  }

  /** Describes a value as JSON. Two values have equal descriptions when no editor can distinguish them. */
  #describe(value: unknown, depth = 0): JsonValue {
    if (typeof value !== 'object' || value === null) return describeScalar(value);
    requireReadDepth(depth);
    const known = this.#descriptions.get(value);
    const description = known ?? this.#describeObject(value, depth);
    this.#descriptions.set(value, description);
    return description;
  }

  #describeObject(value: object, depth: number): JsonValue {
    if (value instanceof Y.Map) {
      const fields = [...value].map(([key, field]) => [key, this.#describe(field, depth + 1)]);
      return { map: Object.fromEntries(fields) };
    }
    if (value instanceof Y.Array) {
      return { array: value.map((element) => this.#describe(element, depth + 1)) };
    }
    if (isXmlRoot(value)) return { xml: value.constructor.name, content: describeXml(value) };
    if (value instanceof Y.Text) return { text: readRuns(value) };
    if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
    return value instanceof Y.Doc
      ? { document: value.guid }
      : { object: readValue(value, depth) ?? null };
  }
}

/** Describes a value that is not an object. Yjs also stores values that JSON does not have. */
function describeScalar(value: unknown): JsonValue {
  const json = readValue(value, 0);
  return json !== undefined && json === value ? json : { [typeof value]: String(value) };
}

const identify = (description: JsonValue): string | undefined =>
  isJsonObject(description) ? identityOf(description.map ?? description.object) : undefined;

/** Copies a value for another document. The copy of a shared type is empty. */
function emptyCopyOf(value: unknown): unknown {
  if (value instanceof Y.AbstractType) return value._copy();
  if (value instanceof Y.Doc) {
    const { guid, meta, autoLoad } = value;
    return new Y.Doc({ guid, meta, autoLoad });
  }
  const isContainer = typeof value === 'object' && !(value instanceof Uint8Array);
  return isContainer ? toStored(readValue(value, 0) ?? null, 'plain') : value;
}
