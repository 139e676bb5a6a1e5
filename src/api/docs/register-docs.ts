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
/** The viewer of the reference adds styles to its page. */
const VIEWER_POLICY = POLICY.map((rule) =>
  rule.startsWith('style-src') ? `${rule} 'unsafe-inline'` : rule,
);

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
  /** The address contains a version, so the content never changes. */
  isImmutable?: boolean;
  isViewer?: boolean;
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, content, isImmutable, isViewer }: Sent,
): Promise<FastifyReply> {
  // Clients keep everything else, too, and ask with its tag whether it changed.
  const caching = isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache';
  reply.type(type).header('cache-control', caching);
  if (type.startsWith('text/html')) {
    reply
      .header('content-security-policy', (isViewer ? VIEWER_POLICY : POLICY).join('; '))
      .header('referrer-policy', 'no-referrer');
  }
  return sendCompressed(request, reply, content);
}
