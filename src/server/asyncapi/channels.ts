import { HEADERS } from '../../api/credentials/headers.ts';

// The parts of the AsyncAPI document that do not depend on operations and events.

const host = {
  default: 'localhost:3000',
  description: 'The host of this server, with its port.',
};
const security = [
  { $ref: '#/components/securitySchemes/userToken' },
  { $ref: '#/components/securitySchemes/apiKey' },
];

export const SERVERS = {
  http: { host: '{host}', protocol: 'https', variables: { host }, security },
  webSocket: { host: '{host}', protocol: 'wss', variables: { host }, security },
};

export const SECURITY_SCHEMES = {
  userToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'A token from `auth.generateToken`. Over sockets, it is sent in the first message.',
  },
  apiKey: {
    type: 'httpApiKey',
    in: 'header',
    name: HEADERS.apiKey,
    description: `Sent together with \`${HEADERS.authToken}\`.`,
  },
};

const overWebSocket = {
  servers: [{ $ref: '#/servers/webSocket' }],
  bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
};

export const TRPC_CHANNEL = {
  address: '/trpc',
  title: 'Subscriptions of a page',
  description:
    "tRPC's WebSocket protocol. One socket carries the subscriptions of a page; operations go over HTTP.",
  ...overWebSocket,
};

export const SYNC_CHANNEL = {
  address: '/collaboration',
  title: 'Live documents',
  description:
    'The Hocuspocus protocol over Yjs. One socket carries many documents, named `<organizationId>/<documentId>/<editorId>`; each is authenticated with a user token.',
  ...overWebSocket,
};
