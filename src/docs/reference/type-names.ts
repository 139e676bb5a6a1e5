import { type JsonSchema, modelNameOf } from '../../server/contract/json-schema.ts';
import { cell, code } from './markdown.ts';

/** Writes the types of fields for readers, and remembers the models that they mention. */
export class TypeNames {
  readonly mentioned = new Set<string>();
  readonly #models: Record<string, JsonSchema>;

  constructor(models: Record<string, JsonSchema>) {
    this.#models = models;
  }

  /** The schema that a reference stands for. */
  resolve(schema: JsonSchema): JsonSchema {
    const name = modelNameOf(schema);
    return name === undefined ? schema : this.modelOf(name);
  }

  modelOf = (name: string): JsonSchema => this.#models[name] ?? {};

  /** `string`, ``list of `"a"` or `"b"` ``, or a link to a model on the same page, as Markdown. */
  of(schema: JsonSchema): string {
    const name = modelNameOf(schema);
    if (name !== undefined) return this.#ofModel(name);
    if (schema.const !== undefined) return literal(schema.const);
    if (schema.enum) return schema.enum.map(literal).join(', ');
    const options = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
    if (options) return [...new Set(options.map((option) => this.of(option)))].join(' or ');
    if (Array.isArray(schema.type)) return schema.type.join(' or ');
    if (schema.type === 'array') return `list of ${this.of((schema.items ?? {}) as JsonSchema)}`;
    if (schema.type === 'object') return this.#ofObject(schema);
    return schema.type ?? 'any JSON';
  }

  #ofModel(name: string): string {
    const model = this.modelOf(name);
    // A mere choice of values needs no table of its own.
    if (!model.properties && !model.additionalProperties && !model.anyOf && !model.oneOf) {
      return this.of(model);
    }
    this.mentioned.add(name);
    return `[${name}](#${name.toLowerCase()})`;
  }

  #ofObject({ properties, additionalProperties: values }: JsonSchema): string {
    const isMap = Object.keys(properties ?? {}).length === 0 && typeof values === 'object';
    if (!isMap || Object.keys(values).length === 0) return 'object';
    return `map of ${this.of(values as JsonSchema)}`;
  }
}

const literal = (value: unknown): string => code(cell(JSON.stringify(value)));

/** The limits and the default of a field, as sentences. */
export function ruleOf(schema: JsonSchema, field = schema): string {
  const { default: absent = field.default } = schema;
  const sentences = [
    rangeOf(schema.minLength, schema.maxLength, 'characters'),
    rangeOf(schema.minItems, schema.maxItems, 'items'),
    rangeOf(schema.minimum, schema.maximum, ''),
    schema.exclusiveMinimum === undefined ? '' : `More than ${schema.exclusiveMinimum}.`,
    schema.format ? FORMATS[schema.format] : '',
    absent === undefined ? '' : `Default: ${literal(absent)}.`,
  ];
  return sentences.filter(Boolean).join(' ');
}

const FORMATS: Record<string, string> = {
  email: 'An e-mail address.',
  uri: 'A URL.',
  'date-time': 'ISO 8601.',
};

function rangeOf(min: number | undefined, max: number | undefined, unit: string): string {
  const number = (value: number) => value.toLocaleString('en');
  const text =
    min !== undefined && max !== undefined
      ? `${number(min)} to ${number(max)}`
      : max !== undefined
        ? `At most ${number(max)}`
        : min
          ? `At least ${number(min)}`
          : '';
  return text && `${[text, unit].filter(Boolean).join(' ')}.`;
}
