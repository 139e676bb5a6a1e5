import type { EventTypes } from '../../platform/events/event-types.ts';
import {
  type Contract,
  type DescribedSubscription,
  mapValues,
} from '../contract/describe-contract.ts';
import type { JsonSchema } from '../contract/json-schema.ts';
import { securityOf } from '../openapi/components.ts';
import { DELIVERY_HEADERS, describeEvents } from '../openapi/webhooks.ts';
import { SECURITY_SCHEMES, SERVERS, SYNC_CHANNEL, TRPC_CHANNEL } from './channels.ts';

type Json = Record<string, unknown>;

const DESCRIPTION = `The messages that the server sends on its own initiative: webhooks to the endpoints of an API key, subscriptions to
frontends, and live documents to editors. Operations are in the OpenAPI document, \`/openapi.json\`.`;

/**
 * Writes the AsyncAPI 3 document: events as webhooks deliver them, subscriptions with their items,
 * and the two sockets.
 */
export function asyncApiDocument(
  contract: Contract,
  eventTypes: EventTypes,
  version: string,
): object {
  const events = eventMessages(contract, eventTypes);
  const { subscriptions } = contract;
  const items = Object.fromEntries(
    Object.entries(subscriptions).map(([name, subscription]) => [
      `subscription.${name}`,
      itemMessage(name, subscription),
    ]),
  );
  const messages = { ...events, ...items, SyncMessage: SYNC_MESSAGE };
  return {
    asyncapi: '3.0.0',
    info: { title: 'Collaboration backend', version, description: DESCRIPTION },
    defaultContentType: 'application/json',
    servers: SERVERS,
    channels: {
      webhooks: {
        address: null,
        title: 'Webhooks',
        description:
          'The URL of an advanced webhook endpoint. Each event is a POST with a signature; any response but 2xx is retried.',
        messages: referencesTo(Object.keys(events)),
      },
      ...mapValues(subscriptions, subscriptionChannel),
      trpcSocket: {
        ...TRPC_CHANNEL,
        messages: referencesTo(Object.keys(items).filter(isOnSocket)),
      },
      sync: { ...SYNC_CHANNEL, messages: referencesTo(['SyncMessage']) },
    },
    operations: {
      deliverWebhook: operationOn('send', 'webhooks', 'Deliver an event to an endpoint'),
      ...mapValues(subscriptions, ({ meta }, name) => operationOn('send', name, meta.summary)),
      sendOverTrpcSocket: operationOn(
        'send',
        'trpcSocket',
        'Send the items of all subscriptions of a web page',
      ),
      sendUpdates: operationOn('send', 'sync', 'Send document changes to editors'),
      receiveUpdates: operationOn('receive', 'sync', 'Receive document changes from editors'),
    },
    components: {
      messages,
      schemas: schemasReachableFrom(messages, schemasOf(contract)),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function eventMessages(contract: Contract, eventTypes: EventTypes): Record<string, Json> {
  const delivered = Object.values(DELIVERY_HEADERS);
  const headers = {
    type: 'object',
    properties: Object.fromEntries(
      delivered.map(({ name, description }) => [name, { type: 'string', description }]),
    ),
    required: delivered.map(({ name }) => name),
  };
  return mapValues(describeEvents(eventTypes, contract), ({ post }, name) => {
    const { summary, requestBody } = post;
    const { schema: payload, example } = requestBody.content['application/json'];
    return { name, summary, headers, payload, examples: [{ payload: example }] };
  });
}

const SYNC_MESSAGE: Json = {
  name: 'SyncMessage',
  contentType: 'application/octet-stream',
  summary:
    'A message of the Hocuspocus protocol: the name of the document, a type, and its content.',
  payload: { type: 'string', format: 'binary' },
};

const itemMessage = (name: string, { meta, item }: DescribedSubscription): Json => ({
  name,
  summary: meta.summary,
  payload: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'Send it as `lastEventId` to resume after this item.' },
      data: item.schema,
    },
    required: ['data'],
  },
});

/** Explains the format of superjson to readers who do not use a tRPC client, which hides it. */
const SERVER_SENT =
  'Server-sent events: the query `input` is `{"json": …}` with the object of `x-input`. Each event has the `id` of a message, and `{"json": …}` with the `data` of the message.';

/** A subscription as server-sent events. */
const subscriptionChannel = ({ meta, input }: DescribedSubscription, name: string): Json => ({
  address: `/trpc/${name}`,
  title: meta.summary,
  description: `${meta.description} ${SERVER_SENT} Needs the credentials of ${callersOf(securityOf(meta))}.`,
  servers: [{ $ref: '#/servers/http' }],
  messages: referencesTo([`subscription.${name}`]),
  bindings: { http: { bindingVersion: '0.3.0' } },
  'x-input': input.schema,
});

const callersOf = (security: object[]): string =>
  security.map((schemes) => ('userToken' in schemes ? 'a user' : 'an API key')).join(' or ');

/** Whether the socket carries a subscription. It carries changes for frontends, but not the output of models. */
const isOnSocket = (name: string): boolean => name.endsWith('.changes');

const operationOn = (action: 'send' | 'receive', channel: string, summary: string): Json => ({
  action,
  summary,
  channel: { $ref: `#/channels/${channel}` },
});

const referencesTo = (names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));

const schemasOf = ({ models, events }: Contract): Record<string, JsonSchema> => ({
  ...models,
  ...Object.fromEntries(Object.values(events).map(({ name, schema }) => [name, schema])),
});

/** Returns the schemas that a value refers to, directly or through others, in the order of `schemas`. */
function schemasReachableFrom(
  value: unknown,
  schemas: Record<string, JsonSchema>,
): Record<string, JsonSchema> {
  const found = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(REFERENCE)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(schemas[name] ?? {});
    }
  };
  visit(value);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;
