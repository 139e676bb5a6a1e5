import type { JsonSchema } from '../contract/json-schema.ts';

/** Returns the schemas that a value refers to, directly or through others, in their own order. */
export function reachableFrom(
  value: unknown,
  schemas: Record<string, JsonSchema>,
): Record<string, JsonSchema> {
  const found = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(REFERENCE)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(schemas[name] ?? {});
    }
  };
  visit(value);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;
