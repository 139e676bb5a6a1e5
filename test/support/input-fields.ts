import { schemasOf } from '../../src/server/contract/describe-contract.ts';
import type { Operation } from '../../src/server/rest.ts';
import { inputSchemaOf, type JsonSchema } from './input-schema.ts';

/** A field of an operation's input. */
export interface InputField {
  /** The path as failures name it: `users[0].userId`. */
  path: string;
  schema: JsonSchema;
  required: boolean;
  /** The operation's example with another value for this field, or without it. */
  with(value: unknown): object;
  without(): object;
  /** The data with this field renamed. A missing field is made up first. */
  renamed(data: object, name: string): object;
}

type Keys = Array<string | number>;

/** Every field of an operation's input, to the depth of its example. */
export function inputFields(operation: Operation): InputField[] {
  const { input } = schemasOf(operation);
  return walk(
    operation.meta.example.request,
    inputSchemaOf(input),
    operation.meta.example.request,
    [],
  );
}

function walk(example: object, schema: JsonSchema, value: unknown, keys: Keys): InputField[] {
  if (schema.items && Array.isArray(value) && value.length > 0) {
    return walk(example, schema.items, value[0], [...keys, 0]);
  }
  // A map takes any name, also where some names are described.
  if (schema.propertyNames) return [];
  return Object.entries(schema.properties ?? {}).flatMap(([key, child]) => {
    const path = [...keys, key];
    const field: InputField = {
      path: pathText(path),
      schema: child,
      required: schema.required?.includes(key) ?? false,
      with: (replacement) => changed(example, path, replacement),
      without: () => changed(example, path, undefined),
      renamed: (data, name) =>
        changed(changed(data, [...keys, name], insideOf(value, key)), path, undefined),
    };
    const inside = (value as Record<string, unknown> | undefined)?.[key];
    return inside === undefined ? [field] : [field, ...walk(example, child, inside, path)];
  });
}

const insideOf = (value: unknown, key: string): unknown =>
  (value as Record<string, unknown> | undefined)?.[key] ?? 'x';

const pathText = (keys: Keys): string =>
  keys.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${key}` : key),
    '',
  );

function changed(example: object, keys: Keys, value: unknown): object {
  const copy = structuredClone(example);
  let place = copy as Record<string | number, unknown>;
  for (const key of keys.slice(0, -1)) place = place[key] as Record<string | number, unknown>;
  const last = keys.at(-1) ?? '';
  if (value === undefined) delete place[last];
  else place[last] = value;
  return copy;
}

/** A value that the field's type does not accept; undefined for fields that accept any. */
export function wrongType({ schema }: InputField): unknown {
  const wrong: Record<string, unknown> = {
    string: 5,
    number: '5',
    integer: '5',
    boolean: 'false',
    array: 'text',
    object: 'text',
  };
  return schema.type ? wrong[schema.type] : undefined;
}

export const acceptsNull = ({ schema }: InputField): boolean =>
  schema.type === 'null' ||
  (schema.type === undefined && schema.anyOf === undefined) ||
  (schema.anyOf?.some(({ type }) => type === 'null') ?? false);

/** Ids are strings of 1 to 256 characters. */
export const isId = ({ minLength, maxLength }: JsonSchema): boolean =>
  minLength === 1 && maxLength === 256;
