import { type JsonSchema, modelNameOf } from '../../server/contract/json-schema.ts';
import { cell, paragraphs, table } from './markdown.ts';

/** Returns the note in a field's description about whether the field is required. */
type RequiredNote = (isRequired: boolean) => string;

/**
 * Describes the schemas of a page as Markdown: a table of fields, then a table for each model that the fields
 * refer to, in the order in which the models are mentioned. Each model is described once.
 */
export class SchemaTables {
  readonly #models: Record<string, JsonSchema>;
  readonly #mentioned = new Set<string>();
  readonly #described = new Set<string>();

  constructor(models: Record<string, JsonSchema>) {
    this.#models = models;
  }

  /** Describes an input, and marks the required fields. */
  input = (schema: JsonSchema): string =>
    this.#describe(schema, (isRequired) => (isRequired ? '**Required.**' : ''));

  /** Describes an output, and marks the fields that may be absent. */
  output = (schema: JsonSchema): string =>
    this.#describe(schema, (isRequired) => (isRequired ? '' : 'Optional.'));

  #describe(schema: JsonSchema, note: RequiredNote): string {
    this.#described.add(modelNameOf(schema) ?? '');
    const parts = [this.#tableOf(this.#resolve(schema), note)];
    // The set grows in this loop, by the models that a described model mentions.
    for (const name of this.#mentioned) {
      if (this.#described.has(name)) continue;
      this.#described.add(name);
      parts.push(`### ${name}`, this.#tableOf(this.#models[name] ?? {}, note));
    }
    return paragraphs(...parts);
  }

  #tableOf(schema: JsonSchema, note: RequiredNote): string {
    const rows = this.#rowsOf(schema, note);
    // Alternatives have most of their fields in common. List these fields only once.
    const unique = new Map(rows.map((row) => [row.join(), row])).values();
    const isEmpty = schema.type === 'object' && typeof schema.additionalProperties !== 'object';
    const otherwise = isEmpty ? 'No fields.' : `A ${this.#typeOf(schema)}.`;
    const body = rows.length > 0 ? table(['Field', 'Type', 'Description'], [...unique]) : otherwise;
    return paragraphs(schema.description, body);
  }

  /** The rows of an object's fields. The fields of an unnamed object follow its own row, with dotted paths. */
  #rowsOf(schema: JsonSchema, note: RequiredNote, prefix = ''): string[][] {
    const options = optionsOf(schema);
    if (options) return options.flatMap((option) => this.#rowsOf(option, note, prefix));
    return Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
      const field = value as JsonSchema;
      const isRequired = schema.required?.includes(name) ?? false;
      const description = [
        note(isRequired),
        field.description,
        ...rulesOf(this.#resolve(field), field),
      ];
      const row = [
        `\`${prefix}${name}\``,
        this.#typeOf(field),
        cell(description.filter(Boolean).join(' ')),
      ];
      return [row, ...this.#nestedRows(field, note, `${prefix}${name}`)];
    });
  }

  #nestedRows(field: JsonSchema, note: RequiredNote, path: string): string[][] {
    const { $ref, items, properties, additionalProperties: values } = field;
    if ($ref) return [];
    if (items) return this.#nestedRows(items as JsonSchema, note, `${path}[]`);
    const options = optionsOf(field);
    if (options) return options.flatMap((option) => this.#nestedRows(option, note, path));
    if (properties || typeof values !== 'object') return this.#rowsOf(field, note, `${path}.`);
    return this.#nestedRows(values as JsonSchema, note, `${path}.*`);
  }

  /** Returns the schema to which a reference leads. */
  #resolve(schema: JsonSchema): JsonSchema {
    const name = modelNameOf(schema);
    return name === undefined ? schema : (this.#models[name] ?? {});
  }

  /** `string`, ``list of `"a"` or `"b"` ``, or a link to a model on the same page, as Markdown. */
  #typeOf(schema: JsonSchema): string {
    const name = modelNameOf(schema);
    if (name !== undefined) return this.#typeOfModel(name);
    if (schema.const !== undefined) return literal(schema.const);
    if (schema.enum) return schema.enum.map(literal).join(', ');
    const options = optionsOf(schema);
    if (options) return [...new Set(options.map((option) => this.#typeOf(option)))].join(' or ');
    if (Array.isArray(schema.type)) return schema.type.join(' or ');
    const { properties = {}, additionalProperties: values = {}, items = {} } = schema;
    if (schema.type === 'array') return `list of ${this.#typeOf(items as JsonSchema)}`;
    const isMap = Object.keys(properties).length === 0 && Object.keys(values).length > 0;
    if (schema.type === 'object' && isMap) return `map of ${this.#typeOf(values as JsonSchema)}`;
    return schema.type ?? 'any JSON';
  }

  #typeOfModel(name: string): string {
    const model = this.#models[name] ?? {};
    // A model that is only a choice of values needs no table of its own.
    const { properties, additionalProperties, anyOf, oneOf } = model;
    if (!properties && !additionalProperties && !anyOf && !oneOf) return this.#typeOf(model);
    this.#mentioned.add(name);
    return `[${name}](#${name.toLowerCase()})`;
  }
}

const optionsOf = ({ anyOf, oneOf }: JsonSchema): JsonSchema[] | undefined =>
  (anyOf ?? oneOf) as JsonSchema[] | undefined;

const literal = (value: unknown): string => `\`${cell(JSON.stringify(value))}\``;

const FORMATS: Record<string, string> = {
  email: 'An email address.',
  uri: 'A URL.',
  'date-time': 'ISO 8601.',
};

/** The limits and the default of a field, as sentences. */
function rulesOf(schema: JsonSchema, field: JsonSchema): Array<string | undefined> {
  const { default: defaultValue = field.default, exclusiveMinimum, format = '' } = schema;
  return [
    rangeOf(schema.minLength, schema.maxLength, ' characters'),
    rangeOf(schema.minItems, schema.maxItems, ' items'),
    rangeOf(schema.minimum, schema.maximum, ''),
    exclusiveMinimum === undefined ? '' : `More than ${exclusiveMinimum}.`,
    FORMATS[format],
    defaultValue === undefined ? '' : `Default: ${literal(defaultValue)}.`,
  ];
}

function rangeOf(min: number | undefined, max: number | undefined, unit: string): string {
  const [least, most] = [min, max].map((limit) => limit?.toLocaleString('en'));
  if (most !== undefined) {
    return `${least === undefined ? 'At most' : `${least} to`} ${most}${unit}.`;
  }
  return min ? `At least ${least}${unit}.` : '';
}
