import type { AnyProcedure, AnyRouter } from '@trpc/server';
import { z } from 'zod';
import { eventEnvelope } from '../../api/event-envelope.ts';
import type { OperationMeta, SubscriptionMeta } from '../../api/operation-meta.ts';
import { failure } from '../../api/responses/failure-schema.ts';
import { definitionOf, proceduresOf } from '../../api/trpc-internals.ts';
import type { EventTypes } from '../../platform/events/event-types.ts';
import { type Operation, operationsOf } from '../rest.ts';
import { type JsonSchema, Models } from './json-schema.ts';

/** A schema with the name that it has in every document: `DocumentsGetInput`. */
export interface NamedSchema {
  name: string;
  schema: JsonSchema;
}

export interface DescribedOperation {
  /** The dotted name. */
  name: string;
  isWrite: boolean;
  meta: OperationMeta;
  input: NamedSchema;
  /** Undefined for writes whose response has no `data`. */
  output: NamedSchema | undefined;
}

export interface DescribedSubscription {
  meta: SubscriptionMeta;
  input: NamedSchema;
  /** One item of the stream. */
  item: NamedSchema;
}

/** The data that callers send and receive, apart from how it is transported. */
export interface Contract {
  /** Schemas that several parts share, by name. */
  models: Record<string, JsonSchema>;
  /** By dotted name, in the order of the router, like the subscriptions. */
  operations: Record<string, DescribedOperation>;
  subscriptions: Record<string, DescribedSubscription>;
  /** By type: the envelope with its data. */
  events: Record<string, NamedSchema & { summary: string }>;
}

/**
 * Describes a router and its events in JSON Schema, from which the OpenAPI document and the types of
 * clients are written.
 *
 * @throws Error when two different schemas have the same name
 */
export function describeContract(router: AnyRouter, eventTypes: EventTypes): Contract {
  const models = new Models();
  models.describe(failure, 'output');
  const operations = operationsOf(router).map((operation) => {
    const { name, meta, procedure } = operation;
    const { input, output } = schemasOf(operation);
    const described: DescribedOperation = {
      name,
      isWrite: definitionOf(procedure).type === 'mutation',
      meta,
      input: { name: `${pascalCase(name)}Input`, schema: models.describe(input, 'input') },
      output:
        output instanceof z.ZodUndefined
          ? undefined
          : { name: `${pascalCase(name)}Output`, schema: models.describe(output, 'output') },
    };
    return [name, described];
  });
  const subscriptions = proceduresOf(router)
    .filter(([, procedure]) => definitionOf(procedure).type === 'subscription')
    .map(([name, procedure]) => [name, describeSubscription(models, name, procedure)]);
  const events = mapValues(eventTypes, ({ summary, data }, type) => {
    const schema = models.describe(eventEnvelope(z.literal(type), data), 'output');
    return { name: `${pascalCase(type)}Event`, schema, summary };
  });
  const contract: Contract = {
    models: models.schemas,
    operations: Object.fromEntries(operations),
    subscriptions: Object.fromEntries(subscriptions),
    events,
  };
  refuseEqualNames(contract);
  return contract;
}

/** Returns the schemas of an operation. @throws Error unless it has exactly one input and one output */
export function schemasOf({ name, procedure }: Pick<Operation, 'name' | 'procedure'>): {
  input: z.ZodType;
  output: z.ZodType;
} {
  const { inputs, output } = definitionOf(procedure);
  const [input] = inputs;
  if (!input || inputs.length > 1 || !output) {
    throw new Error(`${name} must have one input schema and one output schema.`);
  }
  return { input, output };
}

function describeSubscription(
  models: Models,
  name: string,
  procedure: AnyProcedure,
): DescribedSubscription {
  const { inputs, ...definition } = definitionOf(procedure);
  const meta = definition.meta as SubscriptionMeta;
  const [input] = inputs;
  if (!input || inputs.length > 1) throw new Error(`${name} must have one input schema.`);
  return {
    meta,
    input: { name: `${pascalCase(name)}Input`, schema: models.describe(input, 'input') },
    item: { name: `${pascalCase(name)}Item`, schema: models.describe(meta.item, 'output') },
  };
}

/** Returns the named schemas of operations, subscriptions and events, in addition to the models. */
export const namedSchemasOf = ({ operations, subscriptions, events }: Contract): NamedSchema[] => [
  ...Object.values(operations).flatMap(({ input, output }) => (output ? [input, output] : [input])),
  ...Object.values(subscriptions).flatMap(({ input, item }) => [input, item]),
  ...Object.values(events),
];

function refuseEqualNames(contract: Contract): void {
  const names = [
    ...Object.keys(contract.models),
    ...namedSchemasOf(contract).map(({ name }) => name),
  ];
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated) throw new Error(`Two schemas are named ${repeated}.`);
}

/** Maps the values of an object, and keeps their names. */
export const mapValues = <Value, Result>(
  values: Record<string, Value>,
  map: (value: Value, name: string) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));

/** `comment_annotation.add` becomes `CommentAnnotationAdd`. */
export const pascalCase = (name: string): string =>
  name.replace(/(?:^|[._])(\w)/g, (_match, letter: string) => letter.toUpperCase());
