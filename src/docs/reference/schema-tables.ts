import { type JsonSchema, modelNameOf } from '../../server/contract/json-schema.ts';
import { cell, code, table } from './markdown.ts';
import { ruleOf, TypeNames } from './type-names.ts';

/**
 * Describes the schemas of a page as Markdown: a table of fields, then one for each model that it
 * refers to, in the order in which they are mentioned. Each model is described once.
 */
export class SchemaDescriber {
  readonly #types: TypeNames;
  readonly #described = new Set<string>();

  constructor(models: Record<string, JsonSchema>) {
    this.#types = new TypeNames(models);
  }

  /** Says which fields are required. */
  input(schema: JsonSchema): string {
    return this.#describe(schema, (isRequired) => (isRequired ? '**Required.**' : ''));
  }

  /** Says which fields may be absent. */
  output(schema: JsonSchema): string {
    return this.#describe(schema, (isRequired) => (isRequired ? '' : 'Optional.'));
  }

  #describe(schema: JsonSchema, mark: Mark): string {
    const name = modelNameOf(schema);
    if (name !== undefined) this.#described.add(name);
    const parts = [this.#one(this.#types.resolve(schema), mark)];
    for (const name of this.#types.mentioned) {
      if (this.#described.has(name)) continue;
      this.#described.add(name);
      parts.push(`### ${name}`, this.#one(this.#types.modelOf(name), mark));
    }
    return parts.join('\n\n');
  }

  #one(schema: JsonSchema, mark: Mark): string {
    const { description } = schema;
    const rows = fieldsOf(schema, { types: this.#types, mark });
    const isEmpty = schema.type === 'object' && typeof schema.additionalProperties !== 'object';
    const body =
      rows.length > 0
        ? table(['Field', 'Type', 'Description'], rows)
        : isEmpty
          ? 'No fields.'
          : `A ${this.#types.of(schema)}.`;
    return [...(description ? [description] : []), body].join('\n\n');
  }
}

type Mark = (isRequired: boolean) => string;

interface Style {
  types: TypeNames;
  mark: Mark;
}

/** The rows of an object's fields; those of objects without a name follow with a dotted path. */
function fieldsOf(schema: JsonSchema, style: Style, prefix = ''): string[][] {
  const { types, mark } = style;
  const options = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (options) return uniqueRows(options.flatMap((option) => fieldsOf(option, style, prefix)));
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    const field = value as JsonSchema;
    const path = `${prefix}${name}`;
    const rule = ruleOf(types.resolve(field), field);
    const about = [mark(required.has(name)), field.description ?? '', rule];
    const row = [code(path), types.of(field), cell(about.filter(Boolean).join(' '))];
    return [row, ...nestedFields(field, style, path)];
  });
}

/** Alternatives have most of their fields in common. */
const uniqueRows = (rows: string[][]): string[][] => [
  ...new Map(rows.map((row) => [row.join(), row])).values(),
];

function nestedFields(field: JsonSchema, style: Style, path: string): string[][] {
  if (field.$ref) return [];
  if (field.type === 'array') {
    return nestedFields((field.items ?? {}) as JsonSchema, style, `${path}[]`);
  }
  const options = (field.anyOf ?? field.oneOf) as JsonSchema[] | undefined;
  if (options) return options.flatMap((option) => nestedFields(option, style, path));
  const map = field.additionalProperties;
  if (!field.properties && typeof map === 'object') {
    return nestedFields(map as JsonSchema, style, `${path}.*`);
  }
  return fieldsOf(field, style, `${path}.`);
}
