import { type JsonSchema, modelNameOf } from './json-schema.ts';

interface Style {
  indent: string;
  /** Optional fields of inputs may be undefined, even under `exactOptionalPropertyTypes`. */
  isInput: boolean;
}

/** Prints a JSON schema as a TypeScript type. Lengths, bounds and formats are left out. */
export function printType(schema: JsonSchema, style: Style): string {
  const model = modelNameOf(schema);
  if (model !== undefined) return model;
  if (schema.const !== undefined) return printLiteral(schema.const);
  if (schema.enum) return schema.enum.map(printLiteral).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map((one) => printType(one as JsonSchema, style)).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map(printPrimitive).join(' | ');
  if (schema.type === 'array') return printArray(schema.items as JsonSchema | undefined, style);
  if (schema.type === 'object') return printObject(schema, style);
  return schema.type === undefined ? 'unknown' : printPrimitive(schema.type);
}

/** Prints the members of an object type in braces. */
function printObject(schema: JsonSchema, style: Style): string {
  const { properties = {}, required = [], additionalProperties: others } = schema;
  const names = Object.keys(properties);
  // A record is printed as a record even if some of its keys are documented.
  const isRecord = typeof others === 'object' && Object.keys(others).length > 0;
  if (names.length === 0 || isRecord) return printRecord(others, style);
  const inner = `${style.indent}  `;
  const members = names.map((name) => {
    const property = properties[name] as JsonSchema;
    const isOptional = !required.includes(name);
    const key = `${printKey(name)}${isOptional ? '?' : ''}`;
    const type = printType(property, { ...style, indent: inner });
    const orUndefined = isOptional && style.isInput && type !== 'unknown' ? ' | undefined' : '';
    return `${printComment(property, inner)}${inner}${key}: ${type}${orUndefined};\n`;
  });
  // The type of an index signature must include those of all named fields, as only `unknown` does.
  if (others) members.push(`${inner}[field: string]: unknown;\n`);
  return `{\n${members.join('')}${style.indent}}`;
}

function printRecord(values: JsonSchema['additionalProperties'], style: Style): string {
  if (typeof values !== 'object') return 'Record<string, never>';
  return `Record<string, ${printType(values as JsonSchema, style)}>`;
}

function printArray(items: JsonSchema | undefined, style: Style): string {
  const item = printType(items ?? {}, style);
  return / \| /.test(withoutBraces(item)) ? `Array<${item}>` : `${item}[]`;
}

const withoutBraces = (type: string): string => type.replace(/\{.*\}/s, '');

/** Prints the description as a comment above a member or type, with the default of an absent field. */
export function printComment({ description, default: fallback }: JsonSchema, indent = ''): string {
  const lines = description ? [description] : [];
  if (fallback !== undefined) lines.push(`@default ${JSON.stringify(fallback)}`);
  if (lines.length === 0) return '';
  const text = lines.join(`\n${indent} * `).replaceAll('*/', '*\\/');
  return lines.length === 1
    ? `${indent}/** ${text} */\n`
    : `${indent}/**\n${indent} * ${text}\n${indent} */\n`;
}

const printLiteral = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);

const printPrimitive = (type: string): string => (type === 'integer' ? 'number' : type);

const printKey = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : printLiteral(name);
