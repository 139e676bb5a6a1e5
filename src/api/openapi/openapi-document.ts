import type { AnyRouter } from '@trpc/server';
import { generateOpenApiDocument } from 'trpc-to-openapi';
import type { EventTypes } from '../../platform/events/event-types.ts';
import { successEnvelope } from '../responses/envelope.ts';
import { type Operation, operationsOf } from '../rest.ts';
import { HEADERS_SENT, PARAMETERS, SECURITY_SCHEMES, securityOf } from './components.ts';
import { DESCRIPTION } from './description.ts';
import { documentRouter, featureOf, isNothing, isWrite, schemasOf } from './document-router.ts';
import { FAILURE_SCHEMA, failureComponents, failureResponses, failuresOf } from './failures.ts';
import { describeSubscriptions } from './subscriptions.ts';
import { describeEvents } from './webhooks.ts';

type Json = Record<string, unknown>;

/**
 * Generates the OpenAPI 3.1 document of a router, with the exact requests and responses of the REST
 * side and all events.
 */
export function openApiDocument(
  router: AnyRouter,
  eventTypes: EventTypes,
  version: string,
): object {
  const events = describeEvents(eventTypes);
  const operations = operationsOf(router);
  const generated = generateOpenApiDocument(documentRouter(operations), {
    title: 'Collaboration backend',
    description: DESCRIPTION,
    version,
    baseUrl: '/',
  });
  const pathItem = (operation: Operation) => {
    const post = generated.paths?.[operation.meta.path]?.post;
    if (!post) throw new Error(`The generator left out ${operation.name}.`);
    return [operation.meta.path, { post: describeOperation(operation, post as Json) }];
  };
  return {
    openapi: generated.openapi,
    info: generated.info,
    servers: generated.servers,
    tags: [...tagsOf(operations), { name: 'eventTypes', 'x-displayName': 'Event types' }],
    paths: Object.fromEntries(operations.map(pathItem)),
    webhooks: events.webhooks,
    'x-subscriptions': describeSubscriptions(router),
    components: {
      schemas: { ...events.schemas, ...generated.components?.schemas, Failure: FAILURE_SCHEMA },
      responses: failureComponents(operations.flatMap(failuresOf)),
      parameters: PARAMETERS,
      headers: HEADERS_SENT,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** Adds the parts that the generator does not know: credentials, headers, examples and failures. */
function describeOperation(operation: Operation, generated: Json): Json {
  const { operationId, summary, description, tags, requestBody, responses } = generated;
  const { meta } = operation;
  const takesIdempotencyKey = isWrite(operation) && meta.level !== 'admin';
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
    requestBody: withExample(requestBody as Described, { data: meta.example.request }),
    responses: {
      200: {
        description: meta.message,
        headers: { 'x-request-id': { $ref: '#/components/headers/RequestId' } },
        ...successContent(operation, (responses as { 200: Described })[200]),
      },
      ...failureResponses(operation),
    },
  };
}

/** The schema of a newline-delimited response describes one line. */
function successContent(operation: Operation, described: Described): Json {
  const { meta } = operation;
  if (meta.envelope !== 'ndjson') return withExample(described, exampleResponse(operation));
  const wrapped = described.content?.['application/json']?.schema.properties as Json | undefined;
  const schema = wrapped?.result;
  const example = `${JSON.stringify(meta.example.response)}\n`;
  return { content: { 'application/x-ndjson': { schema, example } } };
}

interface Described {
  required?: boolean;
  content?: { 'application/json'?: { schema: Json } };
}

/** The JSON content of a request or response, with its example. */
function withExample({ required, content }: Described, example: object): Json {
  const schema = content?.['application/json']?.schema;
  return {
    ...(required === undefined ? {} : { required }),
    content: { 'application/json': { schema, example } },
  };
}

function exampleResponse(operation: Operation): object {
  const { meta } = operation;
  const { output } = schemasOf(operation);
  const data = isNothing(output) ? undefined : meta.example.response;
  const page = { data, nextPageToken: undefined };
  // The value of the token on the last page: absent, or null if the output requires it.
  const nextPageToken = output.safeParse(page).success ? undefined : null;
  const isPage = meta.envelope === 'page';
  return withoutUndefined(successEnvelope(meta, isPage ? { ...page, nextPageToken } : data));
}

const withoutUndefined = (value: object): object => JSON.parse(JSON.stringify(value));

/** One tag for each feature, in the order of the router, with a display name. */
function tagsOf(operations: Operation[]): object[] {
  const features = new Set(operations.map((operation) => featureOf(operation.name)));
  return [...features].map((name) => ({ name, 'x-displayName': displayName(name) }));
}

const ABBREVIATIONS: Record<string, string> = { api: 'API', crdt: 'CRDT', ai: 'AI' };

/** `apiKeys` becomes `API keys`. */
function displayName(feature: string): string {
  const words = feature.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  const text = words.map((word) => ABBREVIATIONS[word] ?? word).join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
