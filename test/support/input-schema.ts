import { z } from 'zod';

/** The parts of JSON Schema that inputs use. */
export interface JsonSchema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  /** The names of a map. */
  propertyNames?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  required?: string[];
  items?: JsonSchema;
  minLength?: number;
  maxLength?: number;
  format?: string;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
}

/** The JSON schema of an input, with its models in place of the references to them. */
export function inputSchemaOf(input: z.ZodType): JsonSchema {
  const { $defs = {}, ...json } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const inlined = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(inlined);
    const { $ref, ...own } = value as { $ref?: string };
    const model = $ref === undefined ? {} : $defs[$ref.replace('#/$defs/', '')];
    const entries = Object.entries({ ...model, ...own });
    return Object.fromEntries(entries.map(([key, member]) => [key, inlined(member)]));
  };
  return inlined(json) as JsonSchema;
}
