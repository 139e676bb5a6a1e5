import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { createServerClient } from '../../src/client/server.ts';
import { newWindow, startChromium } from './chromium.ts';
import { listen } from './listen.ts';
import { startTestServer } from './server.ts';

const HTML = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Page</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/styles.css">
<body><script type="module" src="/page.js"></script>`;
const STYLES = path.join(import.meta.dirname, '../../src/client/react/styles.css');

/** A server with three users, Chromium, and one of the pages of this folder. */
export async function reactPages(name: string) {
  const server = await startTestServer();
  const app = createServerClient(server.quickstart);
  await app.organizations.add({ organizations: [{ organizationId: 'acme' }] });
  const users = [
    { userId: 'ada', name: 'Ada' },
    { userId: 'bea', name: 'Bea Beck' },
    { userId: 'cal', name: 'Cal' },
  ];
  await app.users.add({ organizationId: 'acme', users });
  await app.notificationConfig.update({
    useNotificationService: true,
    triggers: { comment: { newlyAdded: true, added: true, reactionAdded: true } },
  });
  const browser = await startChromium();
  const pageUrl = await servePage(name);
  let documents = 0;

  const grant = async (userId: string, documentId: string, accessRole: 'viewer' | 'editor') => {
    const resources = [
      { type: 'document' as const, id: documentId, organizationId: 'acme', accessRole },
    ];
    await app.permissions.add({ user: { userId }, permissions: { resources } });
  };

  return {
    app,
    url: server.url,

    newDocument: async (): Promise<string> => {
      const documentId = `plan-${++documents}`;
      await app.documents.add({ organizationId: 'acme', documents: [{ documentId }] });
      return documentId;
    },

    /** Ada begins a thread. @returns its id */
    comment: async (
      documentId: string,
      commentText: string,
      more: object = {},
    ): Promise<string> => {
      const first = { commentText, from: { userId: 'ada' }, triggerNotification: true, ...more };
      const added = await app.commentAnnotations.add({
        organizationId: 'acme',
        documentId,
        commentAnnotations: [{ commentData: [first] }],
      });
      return Object.keys(added)[0] ?? '';
    },

    grant,

    /** The user may write no more. */
    makeViewer: (userId: string, documentId: string) => grant(userId, documentId, 'viewer'),

    open: async (userId: string, documentId: string, more: object = {}) => {
      const resources = [{ type: 'organization' as const, id: 'acme' }];
      const { token } = await app.auth.generateToken({ userId, permissions: { resources } });
      const page = await newWindow(browser);
      /** The operations and subscriptions that the page requested, and `error …`. */
      const sent: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'OPTIONS') return;
        sent.push(new URL(request.url()).pathname.split('/trpc/')[1] ?? '');
      });
      page.on('pageerror', (error) => sent.push(`error ${error.message}`));
      page.on('websocket', (socket) =>
        socket.on('framesent', ({ payload }) => {
          const paths = String(payload).matchAll(/"path":"([\w.]+)"/g);
          sent.push(...[...paths].map(([, each = '']) => each));
        }),
      );
      const facts = { url: server.url, token, documentId, ...more };
      await page.goto(`${pageUrl}#${encodeURIComponent(JSON.stringify(facts))}`);
      return { page, sent };
    },

    /** The hash of an address that makes a page of the components show another document. */
    hashOf: async (page: Page, documentId: string): Promise<string> => {
      const facts = JSON.parse(decodeURIComponent(new URL(page.url()).hash.slice(1)));
      return encodeURIComponent(JSON.stringify({ ...facts, documentId }));
    },

    /** Holds the calls of an operation back, or their answers. @returns what lets them go */
    hold: async (
      page: Page,
      operation: string,
      held: 'call' | 'answer' = 'call',
    ): Promise<() => void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      await page.route(`**/trpc/${operation}`, async (route) => {
        const response = held === 'answer' ? await route.fetch() : undefined;
        await promise;
        await (response ? route.fulfill({ response }) : route.continue());
      });
      return resolve;
    },
  };
}

async function servePage(name: string): Promise<string> {
  const [script, styles] = await Promise.all([
    bundle(path.join(import.meta.dirname, name)),
    readFile(STYLES, 'utf8'),
  ]);
  const files: Record<string, [type: string, body: string]> = {
    '/page.js': ['text/javascript', script],
    '/styles.css': ['text/css', styles],
  };
  const pages = createServer(({ url = '' }, response) => {
    const [type, body] = files[url] ?? ['text/html', HTML];
    response.setHeader('content-type', type);
    response.end(body);
  });
  return `${await listen(pages)}/`;
}

async function bundle(entry: string): Promise<string> {
  const build = await rolldown({
    input: entry,
    // StrictMode does its work in development only.
    transform: { define: { 'process.env.NODE_ENV': '"development"' } },
    onLog: (level, log, show) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && show(level, log),
  });
  const { output } = await build.generate({ format: 'es', minify: true });
  return output[0].code;
}
