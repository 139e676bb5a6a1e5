import type { AnyRouter } from '@trpc/server';
import { z } from 'zod';
import { toAppError } from '../responses/failures.ts';
import { definitionOf, proceduresOf } from '../trpc-internals.ts';

/** In shorter names, no typos are recognized: such names resemble too many others. */
const MIN_LETTERS = 6;
/** Longer names would take long to compare, and are hardly misspelt ones. */
const MAX_LENGTH = 256;
const MAX_ISSUES = 100;
/** Fields of responses, and their names in inputs. A caller who sends such a field back gets a hint, so that the field is not lost. */
const RENAMED_FIELDS: Record<string, string> = { visibilityconfig: 'visibility' };

/** The field names that an input's schema knows, at every level. */
type Names = ObjectNames | ItemNames;

/** The names in the items of a list or a map. */
interface ItemNames {
  items: Names;
}

interface ObjectNames {
  fields: Map<string, Names | undefined>;
  /** The names of the fields, as they are written and as they are compared (`lettersOf`). */
  known: Array<{ name: string; letters: string }>;
  /** Whether every unknown field is refused. */
  isStrict: boolean;
}

type Issues = z.core.$ZodIssue[];

/**
 * Refuses unknown fields that resemble an absent known field. Other unknown fields are ignored or
 * stored, so a misspelt `accessType` would leave a document public.
 */
export class Spelling {
  readonly #inputs = new Map<string, InputSpelling>();

  constructor(router: AnyRouter) {
    for (const [path, procedure] of proceduresOf(router)) {
      const [schema] = definitionOf(procedure).inputs;
      if (schema) this.#inputs.set(path, new InputSpelling(schema));
    }
  }

  /** @throws INVALID_ARGUMENT with every misspelt name and all other problems of the input */
  check(path: string, input: unknown): void {
    this.#inputs.get(path)?.check(input);
  }
}

export class InputSpelling {
  readonly #schema: z.ZodType;
  readonly #names: Names | undefined;

  constructor(schema: z.ZodType) {
    this.#schema = schema;
    this.#names = namesOf(schema);
  }

  /** @throws INVALID_ARGUMENT with every misspelt name and all other problems of the input */
  check(input: unknown): void {
    if (!this.#names) return;
    const issues: Issues = [];
    findMisspelt(this.#names, input, [], issues);
    if (issues.length === 0) return;
    const more = this.#schema.safeParse(input).error?.issues ?? [];
    // A strict schema also reports its unknown fields, which are already among the issues.
    const others = more.filter(({ code }) => code !== 'unrecognized_keys');
    throw toAppError(new z.ZodError([...issues, ...others]));
  }
}

function namesOf(schema: unknown): Names | undefined {
  if (schema instanceof z.ZodObject) return objectNames(schema);
  if (schema instanceof z.ZodArray) return itemNames(schema.element);
  if (schema instanceof z.ZodRecord) return itemNames(schema.valueType);
  if (schema instanceof z.ZodUnion) return mergeNames(schema.options.map(namesOf));
  if (schema instanceof z.ZodIntersection) {
    return mergeNames([namesOf(schema.def.left), namesOf(schema.def.right)]);
  }
  if (schema instanceof z.ZodPipe) {
    return namesOf(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  }
  return isWrapper(schema) ? namesOf(schema.unwrap()) : undefined;
}

function itemNames(schema: unknown): ItemNames | undefined {
  const items = namesOf(schema);
  return items && { items };
}

const WRAPPERS = [
  z.ZodOptional,
  z.ZodNullable,
  z.ZodDefault,
  z.ZodPrefault,
  z.ZodNonOptional,
  z.ZodReadonly,
];

const isWrapper = (schema: unknown): schema is { unwrap(): unknown } =>
  WRAPPERS.some((wrapper) => schema instanceof wrapper);

function objectNames({ shape, def }: z.ZodObject): ObjectNames {
  const fields = new Map(Object.entries(shape).map(([name, field]) => [name, namesOf(field)]));
  return { fields, known: knownOf(fields), isStrict: def.catchall instanceof z.ZodNever };
}

const knownOf = (fields: Map<string, unknown>): ObjectNames['known'] =>
  [...fields.keys()].map((name) => ({ name, letters: lettersOf(name) }));

/** Returns the names that any of the alternatives knows. */
function mergeNames(options: Array<Names | undefined>): Names | undefined {
  const objects = options.filter((option) => typeof option === 'object' && 'fields' in option);
  // Take the first names, since no input has alternatives with lists of different items.
  if (objects.length === 0) return options.find((option) => option !== undefined);
  const entries = objects.flatMap((option) => [...option.fields]);
  const grouped = Map.groupBy(entries, ([name]) => name);
  const fields = new Map(
    [...grouped].map(([name, same]) => [name, mergeNames(same.map(([, names]) => names))]),
  );
  const isStrict = objects.every((option) => option.isStrict);
  return { fields, known: knownOf(fields), isStrict };
}

/** Adds an issue for each misspelt name in a value. `path` leads to the value; each step inside extends it. */
function findMisspelt(names: Names, value: unknown, path: PropertyKey[], issues: Issues): void {
  if (typeof value !== 'object' || value === null) return;
  if ('items' in names) {
    const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
    for (const [key, item] of entries) {
      path.push(key);
      findMisspelt(names.items, item, path, issues);
      path.pop();
    }
  } else if (!Array.isArray(value)) {
    const object = value as Record<string, unknown>;
    findUnknownNames(names, object, path, issues);
    for (const [key, inside] of names.fields) {
      if (!inside) continue;
      path.push(key);
      findMisspelt(inside, object[key], path, issues);
      path.pop();
    }
  }
}

function findUnknownNames(
  names: ObjectNames,
  value: Record<string, unknown>,
  path: PropertyKey[],
  issues: Issues,
): void {
  for (const name in value) {
    if (issues.length >= MAX_ISSUES) return;
    if (names.fields.has(name)) continue;
    const intended = findIntended(name, names, value);
    if (intended === undefined && !names.isStrict) continue;
    const hint = intended
      ? `Did you mean ${intended}?`
      : `The known fields are ${[...names.fields.keys()].join(', ')}.`;
    const message = `is not known here. ${hint}`;
    issues.push({ code: 'custom', path: [...path, name], message, input: undefined });
  }
}

/** Returns the absent known field that the name resembles, if any. */
function findIntended(
  name: string,
  { fields, known }: ObjectNames,
  value: Record<string, unknown>,
): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const letters = lettersOf(name);
  const renamed = Object.hasOwn(RENAMED_FIELDS, letters) ? RENAMED_FIELDS[letters] : undefined;
  if (renamed && fields.has(renamed) && value[renamed] === undefined) return renamed;
  let typo: string | undefined;
  for (const field of known) {
    const { length } = field.letters;
    // A typo adds or removes at most one letter.
    if (Math.abs(length - letters.length) > 1 || value[field.name] !== undefined) continue;
    if (field.letters === letters) return field.name;
    if (length >= MIN_LETTERS && isTypo(letters, field.letters)) typo ??= field.name;
  }
  return typo;
}

/** Returns a name without case and separators, which is how names are compared. */
export const lettersOf = (name: string): string => name.toLowerCase().replace(/[-_. ]/g, '');

/** Whether two names are the same except for case, separators and one letter. */
export function resembles(name: string, known: string): boolean {
  const letters = lettersOf(name);
  const knownLetters = lettersOf(known);
  return letters === knownLetters || isTypo(letters, knownLetters);
}

/** Whether the name differs from the known one by a letter that was inserted, removed or replaced, or by two swapped letters. */
export function isTypo(name: string, known: string): boolean {
  let at = 0;
  while (at < known.length && name[at] === known[at]) at++;
  if (name.length > known.length) return name.slice(at + 1) === known.slice(at);
  if (name.length < known.length) return name.slice(at) === known.slice(at + 1);
  if (name.slice(at + 1) === known.slice(at + 1)) return true;
  const isSwapped = name[at] === known[at + 1] && name[at + 1] === known[at];
  return isSwapped && name.slice(at + 2) === known.slice(at + 2);
}
