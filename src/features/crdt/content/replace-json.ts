import * as Y from 'yjs';
import { alignElements, type Comparison, identityOf } from './align-elements.ts';
import { ArrayEdits } from './array-edits.ts';
import { sharedTypeOf } from './content-type.ts';
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from './json.ts';
import { replaceText } from './replace-text.ts';
import { formAmong, formInPlaceOf, toStored } from './stored-form.ts';

/**
 * Changes the shared type `node`, which reads `before`, so that it reads `after`, and gives true;
 * false when it cannot, being of another type or no shared type, and then it is as it was. What
 * reads the same is not touched, shared or plain.
 *
 * Bound: each value is looked at once, its fields sorted, and each array aligned as
 * `alignElements` says; recursion goes as deep as `after` does.
 */
export function replaceInside(
  node: unknown,
  before: JsonValue,
  after: JsonValue,
  comparison: Comparison,
): boolean {
  if (comparison.ids.same(before, after)) return true;
  // XML types extend these, and a string is not their content.
  if (sharedTypeOf(node) === 'xml') return false;
  if (node instanceof Y.Text && typeof after === 'string') {
    replaceText(node, after, comparison.budget);
    return true;
  }
  if (node instanceof Y.Map && isJsonObject(before) && isJsonObject(after)) {
    replaceMap(node, before, after, comparison);
    return true;
  }
  if (node instanceof Y.Array && Array.isArray(before) && Array.isArray(after)) {
    replaceArray(node, before, after, comparison);
    return true;
  }
  return false;
}

function replaceMap(
  map: Y.Map<unknown>,
  before: JsonObject,
  after: JsonObject,
  comparison: Comparison,
): void {
  const form = formAmong(map.values());
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) map.delete(key);
  }
  for (const [key, value] of Object.entries(after)) {
    const old = ownValue(before, key);
    const node = map.get(key);
    if (old !== undefined && replaceInside(node, old, value, comparison)) continue;
    map.set(key, toStored(value, formInPlaceOf(node, form)));
  }
}

function replaceArray(
  array: Y.Array<unknown>,
  before: JsonValue[],
  after: JsonValue[],
  comparison: Comparison,
): void {
  const nodes = array.toArray();
  const form = formAmong(nodes);
  const edits = new ArrayEdits(nodes);
  const replaceOne = (value: JsonValue, index: number, old: JsonValue = null) => {
    const node = nodes[index];
    // Another `id` is another thing, which must not take over the history of this one.
    const sameThing = identityOf(old) === identityOf(value);
    if (sameThing && replaceInside(node, old, value, comparison)) return;
    edits.add(index, index + 1, [toStored(value, formInPlaceOf(node, form))]);
  };
  let done = 0;
  let doneAfter = 0;
  const replacePairs = (to: number) => {
    for (; done < to; done++, doneAfter++) {
      replaceOne(after[doneAfter] ?? null, done, before[done]);
    }
  };
  for (const { aFrom, aTo, bFrom, bTo } of alignElements(before, after, comparison)) {
    replacePairs(aFrom);
    // As many as before: most likely the same elements, changed.
    if (aTo - aFrom === bTo - bFrom) {
      replacePairs(aTo);
    } else {
      const values = after.slice(bFrom, bTo).map((value) => toStored(value, form));
      edits.add(aFrom, aTo, values);
      done = aTo;
      doneAfter = bTo;
    }
  }
  replacePairs(before.length);
  edits.applyTo(array);
}
