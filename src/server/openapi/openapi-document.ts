import { initTRPC } from '@trpc/server';
import { generateOpenApiDocument, type OpenApiMeta } from 'trpc-to-openapi';
import { z } from 'zod';
import { successEnvelope } from '../../api/responses/envelope.ts';
import type { EventTypes } from '../../platform/events/event-types.ts';
import {
  type Contract,
  type DescribedOperation,
  mapValues,
} from '../contract/describe-contract.ts';
import type { JsonSchema } from '../contract/json-schema.ts';
import { PARAMETERS, RESPONSE_HEADERS, SECURITY_SCHEMES, securityOf } from './components.ts';
import { DESCRIPTION } from './description.ts';
import { failureComponents, failureResponses, failuresOf } from './failures.ts';
import { componentSchemas, isTokenRequired, requestSchema, responseSchema } from './schemas.ts';
import { DELIVERY_HEADERS, describeEvents } from './webhooks.ts';

type Json = Record<string, unknown>;

interface DocumentParts {
  eventTypes: EventTypes;
  /** A sentence about each feature of the router, by its name. */
  features: Record<string, string>;
  version: string;
}

/**
 * Writes the OpenAPI 3.1 document of a router, with the exact requests and responses of the REST
 * side and all events. Every schema that has a name in the contract is a component.
 */
export function openApiDocument(
  contract: Contract,
  { eventTypes, features, version }: DocumentParts,
): object {
  const operations = Object.values(contract.operations);
  const generated = generateOpenApiDocument(documentRouter(operations), {
    title: 'Collaboration backend',
    description: DESCRIPTION,
    version,
    baseUrl: '/',
  });
  const pathItem = (operation: DescribedOperation) => {
    const { path } = operation.meta;
    return [path, { post: describeOperation(operation, generated.paths?.[path]?.post as Json) }];
  };
  return {
    openapi: generated.openapi,
    info: {
      ...generated.info,
      contact: { name: 'The operator of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: generated.servers,
    tags: [...tagsOf(operations, features), EVENTS_TAG],
    paths: Object.fromEntries(operations.map(pathItem)),
    webhooks: describeEvents(eventTypes, contract),
    // Subscriptions are called over tRPC, at `/trpc/<name>`, and respond with server-sent events.
    'x-subscriptions': mapValues(contract.subscriptions, ({ meta, input, item }) => ({
      summary: meta.summary,
      description: meta.description,
      security: securityOf(meta),
      input: input.schema,
      item: item.schema,
    })),
    components: {
      schemas: componentSchemas(contract),
      responses: failureComponents(operations.flatMap(failuresOf)),
      parameters: { ...PARAMETERS, ...DELIVERY_HEADERS },
      headers: RESPONSE_HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const openapi = initTRPC.meta<OpenApiMeta>().create();

/**
 * Builds a router that only the generator reads. Its bodies are empty: the document takes their
 * schemas from the contract, where they have names.
 */
const documentRouter = (operations: DescribedOperation[]) =>
  openapi.router(
    Object.fromEntries(
      operations.map(({ name, meta: { path, summary, description } }) => {
        const facts = { operationId: name, summary, description, tags: [featureOf(name)] };
        const procedure = openapi.procedure
          .meta({ openapi: { method: 'POST', path, ...facts, protect: false, errorResponses: [] } })
          .input(z.object({ data: z.unknown() }))
          .output(z.unknown())
          .mutation(() => undefined);
        return [name, procedure];
      }),
    ),
  );

/** Returns the first part of an operation's dotted name. */
const featureOf = (name: string): string => name.split('.')[0] ?? name;

/** Adds the parts that the generator does not know: bodies, credentials, headers, examples and failures. */
function describeOperation(
  operation: DescribedOperation,
  { operationId, summary, description, tags }: Json,
): Json {
  const { isWrite, meta, input } = operation;
  const takesIdempotencyKey = isWrite && meta.level !== 'admin';
  const response = responseSchema(operation);
  return {
    operationId,
    summary,
    ...(description ? { description } : {}),
    tags,
    security: securityOf(meta),
    parameters: [
      ...(takesIdempotencyKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      { $ref: '#/components/parameters/RequestId' },
    ],
    requestBody: {
      required: true,
      content: jsonContent(requestSchema(input), { data: meta.example.request }),
    },
    responses: {
      200: {
        description: meta.message,
        headers: { 'x-request-id': { $ref: '#/components/headers/RequestId' } },
        content:
          meta.envelope === 'ndjson'
            ? { 'application/x-ndjson': { schema: response, example: meta.example.response } }
            : jsonContent(response, exampleResponse(operation)),
      },
      ...failureResponses(operation),
    },
  };
}

const jsonContent = (schema: JsonSchema, example: object): Json => ({
  'application/json': { schema, example },
});

function exampleResponse({ meta, output }: DescribedOperation): object {
  const data = output && meta.example.response;
  if (meta.envelope !== 'page') return withoutUndefined(successEnvelope(meta, data));
  // On the last page the token is absent, or null if the output requires it.
  const nextPageToken = isTokenRequired(output) ? null : undefined;
  return withoutUndefined(successEnvelope(meta, { data, nextPageToken }));
}

const withoutUndefined = (value: object): object => JSON.parse(JSON.stringify(value));

/** The tag of all webhooks of the document. */
const EVENTS_TAG = {
  name: 'eventTypes',
  'x-displayName': 'Event types',
  description: 'The events that webhooks deliver and `events/get` returns.',
};

/** One tag for each feature, in the order of the router, with a display name. */
function tagsOf(operations: DescribedOperation[], descriptions: Record<string, string>): object[] {
  const features = new Set(operations.map((operation) => featureOf(operation.name)));
  return [...features].map((name) => {
    const description = descriptions[name];
    if (!description) throw new Error(`The feature ${name} needs a description.`);
    return { name, 'x-displayName': displayName(name), description };
  });
}

const ABBREVIATIONS: Record<string, string> = { api: 'API', crdt: 'CRDT', ai: 'AI' };

/** `apiKeys` becomes `API keys`. */
function displayName(feature: string): string {
  const words = feature.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  const text = words.map((word) => ABBREVIATIONS[word] ?? word).join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
