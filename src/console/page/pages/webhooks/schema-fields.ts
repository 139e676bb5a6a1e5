import type { Schema } from '../../api/documents.ts';

export interface SchemaField {
  /** Such as `data.comments[].commentId`. */
  path: string;
  type: string;
  description: string;
  isRequired: boolean;
}

/** Deeper fields are named by their type alone, and models may contain themselves. */
const MAX_DEPTH = 4;

/** The fields of an object and of the objects in it, as a flat list. */
export function fieldsOf(schema: Schema, schemas: Record<string, Schema>): SchemaField[] {
  const fields: SchemaField[] = [];
  const visit = (given: Schema, prefix: string, depth: number) => {
    const { properties = {}, required = [] } = resolve(given, schemas);
    for (const [name, property] of Object.entries(properties)) {
      const field = resolve(property, schemas);
      const items = field.items && resolve(field.items, schemas);
      const path = `${prefix}${name}`;
      const description = property.description ?? field.description ?? '';
      const type = items ? `${typeOf(items)}[]` : typeOf(field);
      fields.push({ path, type, description, isRequired: required.includes(name) });
      const inner = items ?? field;
      if (inner.properties && depth < MAX_DEPTH) {
        visit(inner, items ? `${path}[].` : `${path}.`, depth + 1);
      }
    }
  };
  visit(schema, '', 1);
  return fields;
}

/** The schema itself: references followed, and `null` left out of alternatives. */
function resolve(schema: Schema, schemas: Record<string, Schema>): Schema {
  const name = schema.$ref?.split('/').pop();
  const found = name === undefined ? schema : (schemas[name] ?? schema);
  const only = found.anyOf?.filter(({ type }) => type !== 'null');
  return only?.length === 1 && only[0] ? { ...resolve(only[0], schemas), ...found } : found;
}

function typeOf({ const: constant, enum: values, type, format, anyOf }: Schema): string {
  if (constant !== undefined) return JSON.stringify(constant);
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (anyOf) return anyOf.map(typeOf).join(' | ');
  const name = Array.isArray(type) ? type.join(' | ') : (type ?? 'any');
  return format ? `${name} (${format})` : name;
}
