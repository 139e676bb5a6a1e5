import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../src/features/crdt/content/json.ts';

const keys = fc.constantFrom('a', 'b', 'id', 'title', '__proto__', 'constructor', '');
const scalars = fc.oneof(
  fc.constantFrom(null, true, false, 0, 1, -1, 1.5, '', 'x', 'one two', '😀'),
  fc.integer(),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
);

/** JSON with few keys and values, so that two values have much in common. */
export const { value: jsonValues } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 5 }),
    tie('object'),
  ),
  object: objectsOf(tie('value')),
}));

export const jsonObjects = objectsOf(jsonValues);
export const jsonArrays = fc.array(jsonValues, { maxLength: 8 });

/** `fromEntries` makes `__proto__` an own key, as `JSON.parse` does. */
function objectsOf(values: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> {
  const entries = fc.array(fc.tuple(keys, values), { maxLength: 5 });
  return entries.map((pairs): JsonObject => Object.fromEntries(pairs));
}
