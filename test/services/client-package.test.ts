import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createContext, runInContext } from 'node:vm';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import type * as Core from '../../src/client/core.ts';
import type { createClient } from '../../src/client/index.ts';
import { createServerClient } from '../../src/client/server.ts';
import { committedDocument } from '../support/api-document.ts';
import { newWindow, startChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { installProject, packClient } from '../support/npm-project.ts';
import { startTestServer } from '../support/server.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

const LIFETIME_MS = 48 * 60 * 60_000;
const clock = { time: Date.now(), now: () => clock.time };

/** The classes whose colours and borders a page shows. */
const STYLED =
  '.collab-thread, .collab-quiet, .collab-primary, .collab-mention, .collab-composer textarea';
const client = await packClient();
const node = await installProject('test/packages/node', client);
const page = await installProject('test/packages/browser', client);

/** Starts the server of the Node.js project, which serves a folder. @returns its address */
async function serve(folder: string, ...credentials: string[]): Promise<string> {
  const app = spawn(process.execPath, ['server.ts', folder, ...credentials], {
    cwd: node.folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  whenFileEnds(() => app.kill());
  const [address] = await once(createInterface(app.stdout), 'line');
  return address;
}

let server = await startTestServer(
  { PORT: String(await freePort()) },
  { clock, withoutDemo: false },
);
const app = createServerClient(server.quickstart);
await app.organizations.add({ organizations: [{ organizationId: 'acme' }] });
const documents = ['plan', 'native'].map((documentId) => ({ documentId }));
await app.documents.add({ organizationId: 'acme', documents });
const { apiKey, authToken } = server.quickstart;
const browser = await startChromium();

it('the package has types that a strict Node.js project checks with those of all libraries', async () => {
  await node.run('tsc');
});

it('the package has types and code that a strict Vite project checks and builds', async () => {
  await page.run('npm', 'run', 'build');
});

it('the package names its licence and its Node.js, and holds every file that it names', async () => {
  const folder = path.join(node.folder, 'node_modules/collaboration-client');
  const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  const own = JSON.parse(await readFile('package.json', 'utf8'));
  expect(committedDocument().info.license).toEqual({ name: 'MIT', identifier: 'MIT' });
  expect(manifest).toMatchObject({ license: 'MIT', engines: { node: '>=22' } });
  expect(await readFile(path.join(folder, 'LICENSE'), 'utf8')).toContain('MIT License');
  const minima = async (guide: string) => {
    const found = (await readFile(guide, 'utf8')).matchAll(/Node\.js\s([\d.]+) or newer/g);
    return [...found].map(([, minimum]) => `>=${minimum}`);
  };
  const { engines } = manifest;
  expect(await minima('docs/client.md')).toEqual([engines.node]);
  for (const guide of ['README.md', 'docs/quickstart.md']) {
    expect(await minima(guide), guide).toEqual([own.engines.node, engines.node]);
  }
  for (const file of manifest.files) expect(existsSync(path.join(folder, file)), file).toBe(true);
  const built = await readdir(path.join(folder, 'esm'), { recursive: true });
  for (const file of built.filter((name) => name.endsWith('.js'))) {
    expect(await readFile(path.join(folder, 'esm', file), 'utf8')).not.toContain('sourceMapping');
  }
});

it('the package runs under the oldest Node.js that it promises', async () => {
  const server = await startTestServer();
  const app = createServerClient(server.quickstart);
  await app.organizations.add({ organizations: [{ organizationId: 'acme' }] });
  await app.documents.add({ organizationId: 'acme', documents: [{ documentId: 'plan' }] });
  const installed = 'node_modules/collaboration-client/package.json';
  const { engines } = JSON.parse(await readFile(path.join(node.folder, installed), 'utf8'));
  const version = `${engines.node.replace('>=', '')}.0.0`;
  const oldest = `node-${process.platform}-${process.arch}`;
  const project = await installProject('test/packages/oldest-node', client, `${oldest}@${version}`);
  const program = path.join(project.folder, 'node_modules', oldest, 'bin/node');
  const { apiKey, authToken } = server.quickstart;
  const printed = await project.run(program, 'main.js', server.url, apiKey, authToken);
  expect(printed.trim().split('\n')).toEqual([`v${version}`, 'plan', 'comment_annotation.add']);
});

it.each([
  ['vite', 'dist'],
  ['next', 'out'],
])(
  'the package looks as its stylesheet says in the production build of a bare project: %s',
  async (name, built) => {
    const project = await installProject(`test/packages/bare-${name}`, client);
    await project.run('npm', 'run', 'build');
    const styles = await readFile('src/client/react/styles.css', 'utf8');
    const tab = await browser.newPage();
    const address = await serve(path.join(project.folder, built), server.url);
    for (const scheme of ['light', 'dark']) {
      const look = async () => {
        await tab.locator('.collab-primary').waitFor();
        return tab.evaluate(
          ([selector = '', scheme = '']) => {
            document.documentElement.style.colorScheme = scheme;
            return [...document.querySelectorAll(selector)].map((element) => {
              const { color, backgroundColor, border } = getComputedStyle(element);
              return [element.className, color, backgroundColor, border];
            });
          },
          [STYLED, scheme],
        );
      };
      await tab.goto(address);
      const [markup, shown] = [await tab.locator('main').innerHTML(), await look()];
      await tab.setContent(`<style>${styles}</style><main>${markup}</main>`);
      expect(shown).toEqual(await look());
      expect(shown).toHaveLength(5);
    }
    await tab.close();
  },
  300_000,
);

let url: string | undefined;

/** Opens the page of the browser project, which the Node.js project serves. */
async function open(user: string): Promise<Page> {
  url ??= await serve(path.join(page.folder, 'dist'), server.url, apiKey, authToken);
  const tab = await newWindow(browser);
  await tab.goto(`${url}/?user=${user}&server=${encodeURIComponent(server.url)}`);
  return tab;
}

const shows = (tab: Page, label: string, text: string | RegExp) =>
  tab.getByLabel(label).getByText(text).first().waitFor();

it('on a page, two people work in one document, through the end of their tokens and of the server', async () => {
  const [ada, bea] = [await open('ada'), await open('bea')];
  for (const tab of [ada, bea]) {
    await shows(tab, 'Editor', 'synced');
    await shows(tab, 'People', 'ada');
    await shows(tab, 'People', 'bea');
  }
  const work = async (round: number) => {
    await bea.getByText('Comment').click();
    const answered = (list: string, tab: Page) => tab.getByLabel(list).getByRole('listitem');
    await eventually(async () => {
      expect(await answered('Threads', ada).count()).toBe(round);
      expect(await answered('Inbox', ada).count()).toBe(round);
    });
    for (const tab of [ada, bea]) await tab.getByText('Write').click();
    await eventually(async () => {
      for (const tab of [ada, bea]) {
        const text = await tab.getByLabel('Text').innerText();
        expect(text.match(/bea/g)).toHaveLength(round);
      }
    });
    for (const tab of [ada, bea]) await shows(tab, 'Editor', 'stored');
  };
  await work(1);

  clock.time += 2 * LIFETIME_MS;
  await work(2);

  const { port } = new URL(server.url);
  await server.app.stop();
  await shows(ada, 'Editor', 'offline');
  await ada.getByText('Write').click();
  await shows(ada, 'Text', /(ada.*){3}/);
  server = await startTestServer(
    { PORT: port, DATABASE_URL: server.databaseUrl },
    { clock, withoutDemo: true },
  );
  await shows(bea, 'Text', /(ada.*){3}/);
  await work(3);
});

it('the core works with the conditions and the objects of React Native', async () => {
  const native = await runLikeReactNative(page.folder);
  const place = { organizationId: 'acme', documentId: 'native' };
  const resources = [{ type: 'organization' as const, id: 'acme' }];
  const ada = { userId: 'ada', permissions: { resources } };
  const { token } = await app.auth.generateToken(ada);
  const client = native.createClient({ url: server.url, token });
  const shown: string[][] = [];
  const end = native.liveThreads(client, place).subscribe(({ threads }) => {
    shown.push(threads.map(({ comments }) => comments[0]?.commentText ?? ''));
  });
  await native.threadActions(client, place).createThread({ text: 'From a phone' });
  await eventually(() => expect(shown.at(-1)).toEqual(['From a phone']));
  const commentData = [{ commentText: 'From elsewhere', from: { userId: 'bea' } }];
  await app.commentAnnotations.add({ ...place, commentAnnotations: [{ commentData }] });
  await eventually(() => expect(shown.at(-1)).toContain('From elsewhere'));
  end();
  client.close();
});

type Native = typeof Core & { createClient: typeof createClient };

/** Runs the installed client with what React Native has of a browser's objects, and no more. */
async function runLikeReactNative(folder: string): Promise<Native> {
  const entry = path.join(folder, 'native.js');
  const modules = ['collaboration-client', 'collaboration-client/core'];
  await writeFile(entry, modules.map((name) => `export * from '${name}';\n`).join(''));
  const build = await rolldown({
    input: entry,
    platform: 'neutral',
    resolve: { conditionNames: ['react-native', 'import', 'default'], mainFields: ['main'] },
  });
  const { output } = await build.generate({ format: 'iife', name: 'native' });
  const timers = { setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask };
  const network = { fetch, Headers, Request, Response, FormData, Blob, WebSocket, URL };
  const others = { console, performance, atob, btoa, AbortController };
  const own = { navigator: { product: 'ReactNative' }, process: { env: {} } };
  const context = createContext({ ...timers, ...network, ...others, ...own });
  runInContext(`var window = globalThis; ${output[0].code}`, context);
  return context.native;
}
