import * as Y from 'yjs';
import { align, type Comparison, identityOf, pairsOfEqualCounts, stepsBetween } from './align.ts';
import { changeElements } from './array-edits.ts';
import { sharedTypeOf } from './content-type.ts';
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from './json.ts';
import { replaceText } from './replace-text.ts';
import { formForReplacing, formOfContainers, toStored } from './stored-form.ts';

/**
 * Changes the shared type `node` from `before` to `after`. Equal values are not touched.
 *
 * Bound: one visit of each value, sorting of its fields, and `align` for each array. The
 * recursion is as deep as `after`.
 *
 * @returns false, without a change, when `node` is a plain value or a shared type of another kind
 */
export function replaceInside(
  node: unknown,
  before: JsonValue,
  after: JsonValue,
  comparison: Comparison,
): boolean {
  if (comparison.ids.areEqual(before, after)) return true;
  // The XML types are subclasses of these types, but their content is not a string.
  if (sharedTypeOf(node) === 'xml') return false;
  if (node instanceof Y.Text && typeof before === 'string' && typeof after === 'string') {
    replaceText(node, after, comparison.budget, before);
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
  const form = formOfContainers(map.values());
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) map.delete(key);
  }
  for (const [key, value] of Object.entries(after)) {
    const old = ownValue(before, key);
    const node = map.get(key);
    if (old !== undefined && replaceInside(node, old, value, comparison)) continue;
    map.set(key, toStored(value, formForReplacing(node, form)));
  }
}

function replaceArray(
  array: Y.Array<unknown>,
  before: JsonValue[],
  after: JsonValue[],
  comparison: Comparison,
): void {
  const nodes = array.toArray();
  const form = formOfContainers(nodes);
  const rules = { identify: identityOf, pairInside: pairsOfEqualCounts };
  const pairs = align(before, after, comparison, rules);
  changeElements(array, nodes, {
    steps: stepsBetween(before, after, pairs),
    // An object with another `id` is another object, and must not continue the history of this one.
    changeInside: (node, old, value) =>
      identityOf(old) === identityOf(value) && replaceInside(node, old, value, comparison),
    create: (value, replaced) => toStored(value, formForReplacing(replaced, form)),
  });
}
