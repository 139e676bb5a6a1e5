import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Compressed, compress, identify, sendCompressed } from './send-compressed.ts';

/** The version of `@scalar/api-reference`, which shows the document. */
const VIEWER = 'scalar-1.72.1.js';
/** Committed, and written by `npm run generate:viewer`. */
export const VIEWER_FILE = path.join(import.meta.dirname, `viewer/${VIEWER}.gz`);
const DOCUMENT_FILE = path.join(import.meta.dirname, '../openapi.json');

/**
 * The page may run only its two scripts and call only this server. The viewer adds styles to the
 * page, which requires 'unsafe-inline' for styles.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Paths are relative, so that the page also works behind a proxy that adds a prefix. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Collaboration backend: API</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <div id="api"></div>
    <script src="./docs/${VIEWER}"></script>
    <script src="./docs/start.js"></script>
  </body>
</html>
`;

/** Every feature of the viewer that contacts other hosts is disabled. */
const SETTINGS = {
  url: './openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  showOperationId: true,
  expandAllSchemaProperties: true,
  authentication: { preferredSecurityScheme: [['apiKey', 'authToken']] },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
};

const START = `Scalar.createApiReference('#api', ${JSON.stringify(SETTINGS)});\n`;

/**
 * Serves `/openapi.json` and a page that shows it, without other hosts. The document is the
 * committed file, which `npm run check` compares with the operations; generating it at each start
 * would load the generator for nothing. It is read by the first request and kept compressed.
 */
export async function registerDocs(app: FastifyInstance): Promise<void> {
  let document: Promise<Compressed> | undefined;
  app.get('/openapi.json', async (request, reply) => {
    document ??= readFile(DOCUMENT_FILE).then(compress);
    // Clients keep it and ask with its tag whether it changed.
    reply.type('application/json').header('cache-control', 'no-cache');
    return sendCompressed(request, reply, await document);
  });
  // The address is relative, for proxies that add a prefix.
  app.get('/', (_request, reply) => reply.redirect('./docs'));
  app.get('/docs', (_request, reply) =>
    reply
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .header('referrer-policy', 'no-referrer')
      .type('text/html; charset=utf-8')
      .send(PAGE),
  );
  app.get('/docs/start.js', (_request, reply) => script(reply).send(START));
  app.get(`/docs/${VIEWER}`, async (request, reply) => {
    // The path contains the version, so its content never changes.
    script(reply).header('cache-control', 'public, max-age=31536000, immutable');
    return sendCompressed(request, reply, identify(await readFile(VIEWER_FILE)));
  });
}

const script = (reply: FastifyReply) => reply.type('text/javascript; charset=utf-8');
