import { type Contract, type Named, namedSchemasOf } from './describe-contract.ts';
import type { JsonSchema } from './json-schema.ts';
import { comment, printType } from './print-type.ts';

/** Prints the contract as a TypeScript module that imports nothing of the server. */
export function printContract(contract: Contract): string {
  const models = Object.entries(contract.models).map(([name, schema]) => ({ name, schema }));
  const types = [...models, ...namedSchemasOf(contract)].map(printDeclaration);
  return [HEAD, ...types, printEvents(contract), ROUTER_HEAD, printRouter(contract)].join('\n');
}

const HEAD = `// Generated from the schemas of the server by \`npm run generate\`. Do not edit.

import type {
  TRPC_ERROR_CODE_KEY,
  TRPC_ERROR_CODE_NUMBER,
  TRPCBuiltRouter,
  TRPCMutationProcedure,
  TRPCQueryProcedure,
  TRPCSubscriptionProcedure,
} from '@trpc/server';

/**
 * What clients send and receive: the shared models; the input and output of each operation
 * (\`documents.get\`: \`DocumentsGetInput\`, \`DocumentsGetOutput\`), the input and item of each
 * subscription, and the events (\`comment.add\`: \`CommentAddEvent\`), by name; then the type of the
 * router, for \`createTRPCClient<ContractRouter>\`.
 */
`;

function printDeclaration({ name, schema }: Named): string {
  const type = printType(schema);
  const isObject = schema.type === 'object' && type.startsWith('{');
  const declaration = isObject ? `interface ${name} ${type}` : `type ${name} = ${type};`;
  return `${comment(schema)}export ${declaration}\n`;
}

const printEvents = ({ events }: Contract): string => `/** Every event, by its type. */
export interface EventsByType {
${Object.entries(events)
  .map(([type, { name, summary }]) => `  /** ${summary} */\n  '${type}': ${name};\n`)
  .join('')}}

/** An event of any type, discriminated by \`type\`. */
export type AnyEvent = EventsByType[keyof EventsByType];
`;

const ROUTER_HEAD = `/** The \`data\` of a failure over tRPC. */
export interface ErrorData {
  code: TRPC_ERROR_CODE_KEY;
  /** The dotted name of the operation. */
  path?: string;
  status: Status;
  httpStatus: number;
  details?: FailureDetails;
}

/** A failure over tRPC. */
export interface ErrorShape {
  code: TRPC_ERROR_CODE_NUMBER;
  message: string;
  data: ErrorData;
}

/** An item of a subscription. A new subscription resumes after its id. */
export interface TrackedItem<Data> {
  id: string;
  data: Data;
}

// The context and the metadata of procedures are the server's own.
// biome-ignore lint/suspicious/noExplicitAny: clients never see them
type OfServer = any;

type Query<Input, Output> = TRPCQueryProcedure<{
  input: Input;
  output: Output;
  meta: OfServer;
  errorShape: ErrorShape;
}>;
type Mutation<Input, Output> = TRPCMutationProcedure<{
  input: Input;
  output: Output;
  meta: OfServer;
  errorShape: ErrorShape;
}>;
type Subscription<Input, Item> = TRPCSubscriptionProcedure<{
  input: Input;
  output: AsyncIterable<TrackedItem<Item>>;
  meta: OfServer;
  errorShape: ErrorShape;
}>;
`;

/** A procedure, or the procedures below a part of a dotted name. */
type Tree = { [name: string]: Tree | Procedure };
interface Procedure {
  summary: string;
  type: string;
}

const isProcedure = (entry: Tree | Procedure): entry is Procedure =>
  typeof entry.type === 'string' && typeof entry.summary === 'string';

function printRouter({ operations, subscriptions }: Contract): string {
  const root: Tree = {};
  for (const [name, { type, summary, input, output }] of Object.entries(operations)) {
    const kind = type === 'query' ? 'Query' : 'Mutation';
    add(root, name, { summary, type: `${kind}<${input.name}, ${output?.name ?? 'undefined'}>` });
  }
  for (const [name, { summary, input, item }] of Object.entries(subscriptions)) {
    add(root, name, { summary, type: `Subscription<${input.name}, ${item.name}>` });
  }
  return `/** The procedures by their dotted names. */
export type ContractProcedures = ${printTree(root, '')};

/** The type of the server's router. */
export type ContractRouter = TRPCBuiltRouter<
  { ctx: OfServer; meta: OfServer; errorShape: ErrorShape; transformer: true },
  ContractProcedures
>;
`;
}

function add(root: Tree, dottedName: string, procedure: Procedure): void {
  const parts = dottedName.split('.');
  let place = root;
  for (const part of parts.slice(0, -1)) {
    const below = place[part] ?? {};
    place[part] = below;
    place = below as Tree;
  }
  place[parts.at(-1) ?? ''] = procedure;
}

function printTree(tree: Tree, indent: string): string {
  const inner = `${indent}  `;
  const members = Object.entries(tree).map(([name, entry]) => {
    if (!isProcedure(entry)) return `${inner}${name}: ${printTree(entry, inner)};\n`;
    const about: JsonSchema = { description: entry.summary };
    return `${comment(about, inner)}${inner}${name}: ${entry.type};\n`;
  });
  return `{\n${members.join('')}${indent}}`;
}
