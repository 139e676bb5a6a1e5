import superjson, { type SuperJSONResult } from 'superjson';
import { invalidArgument } from '../platform/errors.ts';

/**
 * Typed clients speak superjson, but say nothing that REST callers could not: dates, maps, NaN and
 * the like are refused, since Zod takes any object that has no required fields for such an object.
 */
export const transformer = {
  input: { serialize: (value: unknown) => superjson.serialize(value), deserialize },
  // Answers are JSON already, and superjson throws at keys such as `constructor`, which ids may be.
  output: {
    serialize: (json: unknown): SuperJSONResult => ({ json }) as SuperJSONResult,
    deserialize: (output: SuperJSONResult): unknown => superjson.deserialize(output),
  },
};

function deserialize(input: SuperJSONResult): unknown {
  try {
    if (namesOnlyUndefined(input.meta?.values ?? {})) return superjson.deserialize(input);
  } catch (cause) {
    throw invalidArgument('The input is not in the form of superjson.', { cause });
  }
  throw invalidArgument('The input contains something that is no JSON.');
}

/** The types that superjson notes beside the JSON. `undefined` is a field that was not given. */
function namesOnlyUndefined(values: unknown): boolean {
  if (typeof values === 'object' && values !== null) {
    return Object.values(values).every(namesOnlyUndefined);
  }
  return values === 'undefined';
}
