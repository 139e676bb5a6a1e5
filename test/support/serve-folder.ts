import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { listen } from './listen.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

/** Serves the files of a built page, until the tests of the file have ended. @returns its address */
export async function serveFolder(folder: string): Promise<string> {
  const server = createServer(async ({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://localhost');
    const file = path.join(folder, pathname === '/' ? 'index.html' : pathname);
    const content = await readFile(file).catch(() => undefined);
    const type = TYPES[path.extname(file)] ?? 'application/octet-stream';
    response.writeHead(content ? 200 : 404, { 'content-type': type }).end(content);
  });
  return `${await listen(server)}/`;
}
