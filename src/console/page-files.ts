import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../api/context.ts';
import { pathNotFound, pathOf } from '../api/exact-paths.ts';
import { compressLargeFile, sendCompressedFile } from '../api/responses/compressed-files.ts';
import { AppError } from '../platform/errors.ts';

/** The output of `npm run build:console`. */
const BUILD_FOLDER = path.join(import.meta.dirname, '../../dist/console');
/** Vite writes this where the nonce of each response belongs. */
const NONCE = '__NONCE__';
const ASSETS = '/console/assets/';

const CONTENT_TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** Serves the page at all paths below `/console`, since the page has a router of its own. */
export function registerPage(app: FastifyInstance, { config }: Services): void {
  const assets = new Map<string, ReturnType<typeof compressLargeFile>>();
  const sendPage = async (_request: FastifyRequest, reply: FastifyReply) => {
    const template = await readBuilt('index.html');
    const nonce = randomBytes(16).toString('base64');
    return reply
      .type('text/html; charset=utf-8')
      .headers({
        'content-security-policy': securityPolicy(nonce, config.publicUrl),
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cache-control': 'no-store',
      })
      .send(template.toString('utf8').replaceAll(NONCE, nonce));
  };
  app.get('/console', sendPage);
  app.get('/console/*', async (request, reply) => {
    const address = pathOf(request.url);
    if (!address.startsWith(ASSETS)) return sendPage(request, reply);
    const name = path.basename(address);
    const type = CONTENT_TYPES[path.extname(name)];
    // All assets are in one folder.
    if (!type || `${ASSETS}${name}` !== address) throw pathNotFound();
    const content = assets.get(name) ?? readBuilt(`assets/${name}`).then(compressLargeFile);
    assets.set(name, content);
    content.catch(() => assets.delete(name));
    reply.type(type).header('cache-control', 'public, max-age=31536000, immutable');
    return sendCompressedFile(request, reply, await content);
  });
}

async function readBuilt(name: string): Promise<Buffer> {
  try {
    return await readFile(path.join(BUILD_FOLDER, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    if (name !== 'index.html') throw pathNotFound();
    const message =
      'The console has not been built. Run `npm run build:console` where development packages are installed (`npm ci`), and load this page again.';
    throw new AppError('UNAVAILABLE', message, { cause: error });
  }
}

/** Lets the page run only its own scripts, and load only from this server. */
const securityPolicy = (nonce: string, publicUrl: string) =>
  [
    "default-src 'none'",
    // 'strict-dynamic' is left out, since it would let a script add scripts without the nonce.
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    // In older browsers, 'self' does not include WebSockets of this server.
    `connect-src 'self' ${new URL(publicUrl).origin.replace(/^http/, 'ws')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
