import { readFile } from 'node:fs/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSite } from '../../src/docs/build-site.ts';
import { dataOf } from '../support/answers.ts';
import { committedDocument } from '../support/api-document.ts';
import { organize } from '../support/directory.ts';
import { eventually } from '../support/eventually.ts';
import { CHANGES, inOrder, PREPARATIONS, withReal } from '../support/example-world.ts';
import { answersWith, startModelProviders } from '../support/model-provider.ts';
import {
  blocksOf,
  LANGUAGES,
  type Language,
  makeUserProject,
  runExample,
  startExample,
  typeErrorsOf,
  variablesOf,
} from '../support/run-example.ts';
import { RUN_GUIDES } from '../support/run-guides.ts';
import { startTestServer, type TestServer, testServer } from '../support/server.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

/** Runs every example of the documentation, as it stands there, against a real server. */

const document = committedDocument();
const operations = Object.values(document.paths).flatMap(({ post }) => post?.operationId ?? []);

beforeAll(buildSite);

/** An answer that says that one of several items failed. */
const FAILED_ITEM = /["']?success["']?: ?(?:false|False)/;

describe.each(LANGUAGES)('the examples in %s', (language) => {
  let server: TestServer;
  let folder: string;
  let variables: Record<string, string>;
  beforeAll(async () => {
    const providers = await startModelProviders();
    providers.reply(answersWith({ text: 'We noticed an open invoice.' }));
    server = await startTestServer(providers.environment);
    folder = await makeUserProject();
    variables = variablesOf(server.quickstart);
    const token = await server.call('/v2/auth/generate_token', { userId: 'ada' });
    variables.USER_TOKEN = dataOf(token).token;
  });
  // The server of the next language needs its connections to PostgreSQL.
  afterAll(() => server.app.stop());

  const run = async (page: string, replacements = {}): Promise<string> => {
    const markdown = await (await fetch(`${server.url}/docs/${page}.md`)).text();
    const [block = ''] = blocksOf(markdown, language);
    const source = withReal(block, replacements);
    expect(source, page).not.toBe('');
    const printed = await runExample(folder, language, source, variables);
    if (language === 'sh') expect(printed, page).toMatch(/\nHTTP \d+\n$/);
    return printed;
  };

  it.each(inOrder(operations))('succeed: %s', async (name) => {
    const replacements = await PREPARATIONS[name]?.(server);
    const printed = await run(`operations/${name}`, replacements);
    if (language === 'sh') expect(printed).toContain('\nHTTP 200\n');
    expect(printed).not.toMatch(FAILED_ITEM);
  });

  // The pages of the other types differ in the name of the type alone.
  it.each(['comment.add', 'document.move'])('read events: %s', async (type) => {
    const printed = await run(`event-types/${type}`);
    if (language === 'sh') expect(printed).toContain('\nHTTP 200\n');
  });

  it('handle failures', async () => {
    const printed = await run('errors');
    expect(printed).toContain('INVALID_ARGUMENT');
    expect(printed).toContain('400');
  });
});

const server = testServer();
let folder: string;
beforeAll(async () => {
  folder = await makeUserProject();
  await organize(server, 'acme', { documents: ['launch-plan', 'launch'] });
  const users = [{ userId: 'ada' }, { userId: 'grace' }];
  await server.ok('/v1/users/add', { organizationId: 'acme', users });
});

describe.each(LANGUAGES)('the examples of subscriptions in %s', (language) => {
  it.each(Object.keys(CHANGES))('print what changes: %s', async (name) => {
    const markdown = await (await fetch(`${server.url}/docs/subscriptions/${name}.md`)).text();
    const [source = ''] = blocksOf(markdown, language);
    const { token } = await server.ok('/v2/auth/generate_token', { userId: 'ada' });
    const variables = { ...variablesOf(server.quickstart), USER_TOKEN: token };
    const example = await startExample(folder, language, source, variables);
    const [path, data] = CHANGES[name] ?? ['', {}];
    whenFileEnds(async () => example.end());
    // The change is made again until the subscription has begun.
    await eventually(async () => {
      expect((await server.call(path, data)).status).toBe(200);
      expect(example.printed()).toMatch(/Seen\?|away|comment_annotation\.add/);
    });
    example.end();
    await example.ended;
  });
});

describe('the guides', () => {
  it.each(RUN_GUIDES)('have examples that run: %s', async (name) => {
    const markdown = await readFile(`docs/${name}.md`, 'utf8');
    const blocks = LANGUAGES.flatMap((language) =>
      blocksOf(markdown, language).map((source): [Language, string] => [language, source]),
    );
    expect(blocks).not.toEqual([]);
    for (const [language, source] of blocks) {
      const printed = await runExample(folder, language, source, variablesOf(server.quickstart));
      expect(printed).not.toMatch(FAILED_ITEM);
      if (name !== 'errors' && language === 'sh') expect(printed).toContain('\nHTTP 200\n');
    }
  });
});

it('the Python of the webhooks guide accepts what is signed, and refuses anything else', async () => {
  const [verify = ''] = blocksOf(await readFile('docs/webhooks.md', 'utf8'), 'python');
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
  const [body, now] = ['{"type":"comment.add"}', new Date()];
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
  };
  const check = (content: string, sent: object) => {
    const given = `${JSON.stringify(content)}.encode(), ${JSON.stringify(sent)}, "${secret}"`;
    return runExample(folder, 'python', `${verify}\nverify(${given})`, {});
  };
  await check(body, headers);
  const rotated = { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` };
  await check(body, rotated);
  await expect(check(`${body} `, headers)).rejects.toThrow('The signature is wrong.');
  const old = { ...headers, 'webhook-timestamp': '1767603600' };
  await expect(check(body, old)).rejects.toThrow('The webhook is too old.');
});

it('the examples in TypeScript have no type errors', async () => {
  const pages = [
    ...operations.map((name) => `operations/${name}`),
    ...Object.keys(document['x-subscriptions']).map((name) => `subscriptions/${name}`),
    'event-types/comment.add',
  ];
  const sources: Array<[string, string]> = [];
  for (const page of pages) {
    const markdown = await (await fetch(`${server.url}/docs/${page}.md`)).text();
    for (const [at, source] of blocksOf(markdown, 'ts').entries()) {
      sources.push([`${page.replaceAll(/\W/g, '-')}-${at}.ts`, `${source}\nexport {};\n`]);
    }
  }
  const options = { module: 'nodenext', lib: ['es2024', 'dom'] };
  expect(await typeErrorsOf(folder, sources, options)).toBe('');
});
