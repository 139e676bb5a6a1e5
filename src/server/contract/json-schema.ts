import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The direction of a value: fields with a default may be absent in inputs only. */
export type Direction = 'input' | 'output';

const MODEL_PATH = '#/components/schemas/';

export const referenceTo = (name: string): JsonSchema => ({ $ref: `${MODEL_PATH}${name}` });

/** Returns the name of the model that a schema refers to; undefined for any other schema. */
export const modelNameOf = ({ $ref }: JsonSchema): string | undefined =>
  $ref?.slice(MODEL_PATH.length);

/**
 * Converts Zod schemas, and collects the models that they refer to. A schema with an id in its
 * metadata, `.meta({ id: 'Document' })`, is a model: it is described once, and referred to by its
 * name.
 */
export class Models {
  readonly #schemas = new Map<string, JsonSchema>();

  /** The models by name, in alphabetical order. */
  get schemas(): Record<string, JsonSchema> {
    const byName = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1);
    return Object.fromEntries([...this.#schemas].sort(byName));
  }

  /** @throws Error when a schema has no JSON form, or when two models have the same name */
  describe(schema: z.ZodType, io: Direction): JsonSchema {
    // The schema is put into an object, since Zod would describe a model at the root in place, not by its name.
    const { $defs = {}, properties } = convert(z.object({ schema }), io);
    for (const [name, model] of Object.entries($defs)) this.#add(name, model);
    return properties?.schema as JsonSchema;
  }

  #add(name: string, model: JsonSchema): void {
    const known = this.#schemas.get(name);
    if (known === undefined || isDeepStrictEqual(known, model)) {
      this.#schemas.set(name, model);
      return;
    }
    // One model is enough if only unknown fields differ: inputs accept them, and they never occur in outputs.
    const openModel = withUnknownFields(model);
    if (!isDeepStrictEqual(withUnknownFields(known), openModel)) {
      throw new Error(`The model ${name} differs in inputs and outputs, and needs two names.`);
    }
    this.#schemas.set(name, openModel);
  }
}

function convert(schema: z.ZodType, io: Direction): JsonSchema {
  const json = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      // Remove what adds nothing: the pattern of a format, and the bounds that Zod gives to every integer.
      if (jsonSchema.format) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', `"${MODEL_PATH}`));
}

const withUnknownFields = (schema: JsonSchema): JsonSchema =>
  JSON.parse(
    JSON.stringify(schema, (key, value) =>
      key === 'additionalProperties' && value === false ? undefined : value,
    ),
  );
