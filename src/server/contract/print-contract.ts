import { type Contract, type NamedSchema, namedSchemasOf } from './describe-contract.ts';
import { type JsonSchema, modelNameOf } from './json-schema.ts';
import { printComment, printType } from './print-type.ts';

/** Prints the contract as a TypeScript module that imports nothing from the server. */
export function printContract(contract: Contract): string {
  const models = Object.entries(contract.models).map(([name, schema]) => ({ name, schema }));
  const inputs = inputNamesOf(contract);
  const types = [...models, ...namedSchemasOf(contract)].map((named) =>
    printDeclaration(named, inputs.has(named.name)),
  );
  return [
    HEAD,
    ...types,
    printEvents(contract),
    PROCEDURE_TYPES,
    printProcedures(contract),
    printNames(contract),
  ].join('\n');
}

const HEAD = `// Generated from the schemas of the server by \`npm run generate:contract\`. Do not edit.

/**
 * The types of everything that clients send and receive: the shared models; the input and output of each operation
 * (\`documents.get\`: \`DocumentsGetInput\`, \`DocumentsGetOutput\`), the input and item of each
 * subscription, and the events (\`comment.add\`: \`CommentAddEvent\`), by name; then all
 * operations and subscriptions by their dotted names.
 */
`;

/** Returns the names of all inputs, and of the models in them. */
function inputNamesOf({ models, operations, subscriptions }: Contract): Set<string> {
  const inputs = [...Object.values(operations), ...Object.values(subscriptions)];
  const names = new Set(inputs.map(({ input }) => input.name));
  const schemas = inputs.map(({ input }) => input.schema);
  // The loop also visits the models that it adds to the list.
  for (const schema of schemas) {
    JSON.stringify(schema, (_key, value) => {
      const name = modelNameOf(value ?? {});
      if (name !== undefined && !names.has(name)) {
        names.add(name);
        schemas.push(models[name] as JsonSchema);
      }
      return value;
    });
  }
  return names;
}

function printDeclaration({ name, schema }: NamedSchema, isInput: boolean): string {
  const type = printType(schema, { indent: '', isInput });
  const isObject = schema.type === 'object' && type.startsWith('{');
  const declaration = isObject ? `interface ${name} ${type}` : `type ${name} = ${type};`;
  return `${printComment(schema)}export ${declaration}\n`;
}

const printEvents = ({ events }: Contract): string => `/** Every event, by its type. */
export interface EventsByType {
${Object.entries(events)
  .map(([type, { name, summary }]) => `  /** ${summary} */\n  '${type}': ${name};\n`)
  .join('')}}

/** An event of any type, discriminated by \`type\`. */
export type AnyEvent = EventsByType[keyof EventsByType];
`;

const PROCEDURE_TYPES = `/** An item of a subscription. A new subscription can resume after the id of an item. */
export interface TrackedItem<Data> {
  id: string;
  data: Data;
}

/** An operation that changes nothing. */
export interface Query<Input, Output> {
  kind: 'query';
  input: Input;
  output: Output;
}

export interface Mutation<Input, Output> {
  kind: 'mutation';
  input: Input;
  output: Output;
}

export interface Subscription<Input, Item> {
  kind: 'subscription';
  input: Input;
  item: TrackedItem<Item>;
}
`;

interface Procedure {
  /** The parts of the dotted name that are not printed yet. */
  path: string[];
  summary: string;
  type: string;
}

function printProcedures({ operations, subscriptions }: Contract): string {
  const calls = Object.values(operations).map(({ name, isWrite, meta, input, output }) => ({
    path: name.split('.'),
    summary: meta.summary,
    type: `${isWrite ? 'Mutation' : 'Query'}<${input.name}, ${output?.name ?? 'undefined'}>`,
  }));
  const streams = Object.entries(subscriptions).map(([name, { meta, input, item }]) => ({
    path: name.split('.'),
    summary: meta.summary,
    type: `Subscription<${input.name}, ${item.name}>`,
  }));
  return `/** The operations and subscriptions by their dotted names. */
export type Procedures = ${printTree([...calls, ...streams])};
`;
}

/** Prints lists of names that tell clients at run time which calls they may repeat and which are streams. */
function printNames({ operations, subscriptions }: Contract): string {
  const queries = Object.values(operations).filter(({ isWrite }) => !isWrite);
  const list = (names: string[]) => names.map((name) => `  '${name}',\n`).join('');
  return `/** The operations that change nothing. */
export const QUERIES: ReadonlySet<string> = new Set([
${list(queries.map(({ name }) => name))}]);

export const SUBSCRIPTIONS: ReadonlySet<string> = new Set([
${list(Object.keys(subscriptions))}]);
`;
}

/** Prints procedures as a tree of the parts of their names. */
function printTree(procedures: Procedure[], indent = ''): string {
  const inner = `${indent}  `;
  const byName = Map.groupBy(procedures, ({ path: [name = ''] }) => name);
  const members = [...byName].map(([name, sameName]) => {
    const leaf = sameName.find(({ path }) => path.length === 1);
    if (leaf) {
      const comment = printComment({ description: leaf.summary }, inner);
      return `${comment}${inner}${name}: ${leaf.type};\n`;
    }
    const below = sameName.map((procedure) => ({ ...procedure, path: procedure.path.slice(1) }));
    return `${inner}${name}: ${printTree(below, inner)};\n`;
  });
  return `{\n${members.join('')}${indent}}`;
}
