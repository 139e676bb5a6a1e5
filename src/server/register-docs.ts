import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pathNotFound, pathOf } from '../api/exact-paths.ts';
import {
  type CompressedFile,
  compressFile,
  sendCompressedFile,
} from '../api/responses/compressed-files.ts';
import { AppError } from '../platform/errors.ts';
import { codeOf } from '../platform/start-error.ts';

/** The output of `npm run build:docs`: a file for each address. */
const SITE = path.join(import.meta.dirname, '../../dist/site');
const NOT_FOUND_PAGE = path.join(SITE, 'not-found.html');
/** Matches addresses. No part of one begins or ends with a dot, so no address leads out of the folder. */
const ADDRESS = /^(?:\/[\w-]+(?:\.[\w-]+)*)+$/;

const HTML = 'text/html; charset=utf-8';
const TYPES: Record<string, string | undefined> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/** Pages may load resources from this server only, and may not contain inline scripts. */
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
].join('; ');

/**
 * Serves the documentation below `/docs`, `/openapi.json`, `/asyncapi.json` and `/llms.txt`. Both JSON
 * documents are the committed files, which `npm run check` compares with the operations. A file is
 * read at its first request, and kept compressed.
 */
export async function registerDocs(app: FastifyInstance): Promise<void> {
  const files = new Map<string, CompressedFile>();
  /** @returns undefined if there is no such file */
  const find = async (file: string): Promise<CompressedFile | undefined> => {
    const text = files.has(file) ? undefined : await readIfExists(file);
    if (text) files.set(file, await compressFile(text));
    return files.get(file);
  };
  const sendFile = async (request: FastifyRequest, reply: FastifyReply) => {
    const address = pathOf(request.url);
    const type = TYPES[path.extname(address)];
    const content = ADDRESS.test(address)
      ? await find(path.join(SITE, type ? address : `${address}.html`))
      : undefined;
    if (content) return send(request, reply, { type: type ?? HTML, content });
    const page = await readIfExists(NOT_FOUND_PAGE);
    if (!page) throw new AppError('UNAVAILABLE', NOT_BUILT);
    if (!request.headers.accept?.includes('text/html')) throw pathNotFound();
    // Links are relative, for proxies that add a prefix. The links of this page are relative to an address
    // directly below /docs, so they are adapted to the depth of the requested address.
    const root = '../'.repeat(address.split('/').length - 2);
    setPageHeaders(reply).code(404);
    return reply.send(page.toString('utf8').replaceAll('="../', `="${root}`));
  };
  for (const name of ['/docs', '/docs.md', '/docs/*', '/llms.txt', '/llms-full.txt']) {
    app.get(name, sendFile);
  }
  for (const name of ['openapi.json', 'asyncapi.json']) {
    app.get(`/${name}`, async (request, reply) => {
      const content = await find(path.join(import.meta.dirname, '../api', name));
      if (!content) throw pathNotFound();
      return send(request, reply, { type: 'application/json', content });
    });
  }
  for (const [from, to] of REDIRECTS) app.get(from, (_request, reply) => reply.redirect(to));
}

const NOT_BUILT =
  'The documentation has not been built. Run `npm run build:docs` where development packages are installed (`npm ci`), and load this page again.';

/** Addresses that are redirected, with their targets relative to them. */
const REDIRECTS = [
  ['/', './docs'],
  ['/docs/', '../docs'],
  ['/docs/reference', './operations'],
  ['/docs/openapi.json', '../openapi.json'],
] as const;

async function readIfExists(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'].includes(codeOf(error) ?? '');
    if (isMissing) return undefined;
    throw error;
  }
}

const setPageHeaders = (reply: FastifyReply): FastifyReply =>
  reply.type(HTML).headers({
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  });

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, content }: { type: string; content: CompressedFile },
): Promise<FastifyReply> {
  if (type === HTML) setPageHeaders(reply);
  // Clients may store the file, and ask with its tag whether it has changed.
  else reply.type(type).header('cache-control', 'no-cache');
  return sendCompressedFile(request, reply, content);
}
