import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { nothingHere, pathOf } from '../exact-paths.ts';
import { type Compressed, sendCompressed } from '../responses/send-compressed.ts';
import { DocsFiles } from './docs-files.ts';

const API = path.join(import.meta.dirname, '..');

/** Pages may load from this server alone. Nothing is written into a page that could run. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/**
 * Serves the documentation below `/docs`, `/openapi.json`, `/asyncapi.json` and `/llms.txt`, without
 * other hosts. Both documents are the committed files, which `npm run check` compares with the
 * operations. Everything is read or written at its first request, and kept compressed.
 */
export async function registerDocs(app: FastifyInstance): Promise<void> {
  const files = new DocsFiles();
  const serve = (name: string, read: () => Promise<string | Buffer>, type: string) =>
    app.get(`/${name}`, async (request, reply) =>
      send(request, reply, { type, content: await files.keep(name, read) }),
    );
  for (const name of ['openapi.json', 'asyncapi.json']) {
    serve(name, () => readFile(path.join(API, name)), 'application/json');
  }
  serve('llms.txt', async () => (await files.site()).llmsTxt(), TEXT);
  serve('llms-full.txt', async () => (await files.site()).llmsFullTxt(), TEXT);
  // The address is relative, for proxies that add a prefix.
  app.get('/', (_request, reply) => reply.redirect('./docs'));
  app.get('/docs/', (_request, reply) => reply.redirect('../docs'));
  app.get('/docs/reference', (_request, reply) => reply.redirect('./operations'));
  app.get('/docs/openapi.json', (_request, reply) => reply.redirect('../openapi.json'));
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const file = await files.find(pathOf(request.url));
    if (!file) throw nothingHere();
    return send(request, reply, file);
  };
  app.get('/docs', answer);
  app.get('/docs.md', answer);
  app.get('/docs/*', answer);
}

const TEXT = 'text/plain; charset=utf-8';

interface Sent {
  type: string;
  content: Compressed;
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, content }: Sent,
): Promise<FastifyReply> {
  // Clients keep everything, and ask with its tag whether it changed.
  reply.type(type).header('cache-control', 'no-cache');
  if (type.startsWith('text/html')) {
    reply
      .header('content-security-policy', POLICY.join('; '))
      .header('referrer-policy', 'no-referrer');
  }
  return sendCompressed(request, reply, content);
}
