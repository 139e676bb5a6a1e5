import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { blocksOf } from '../support/run-example.ts';
import { credentialHeaders, post, type Quickstart } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Follows README and guides on a copy of the project as a clone would have it. */

const PROJECT = path.join(import.meta.dirname, '../..');
const NOT_IN_A_CLONE = new Set(['node_modules', '.data', '.git']);
let server: ChildProcess;
let output = '';

const clone = await temporaryFolder('test-newcomer-');
await cp(PROJECT, clone, {
  recursive: true,
  filter: (source) => !NOT_IN_A_CLONE.has(path.relative(PROJECT, source)),
});
await symlink(path.join(PROJECT, 'node_modules'), path.join(clone, 'node_modules'));
const port = await freePort();
await start();

afterAll(async () => {
  // Ends the process as a closed terminal does. The database stops in order, and no process
  // remains.
  await kill('SIGHUP');
  await eventually(() => expect(existsSync(postmasterFile())).toBe(false));
});

/** `npm start` in its own process group, so that npm and the server can be killed together. */
async function start(): Promise<void> {
  output = '';
  server = spawn('npm', ['start'], { cwd: clone, env: environment(), detached: true });
  for (const stream of [server.stdout, server.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  await eventually(async () => {
    if (server.exitCode !== null) throw new Error(`npm start ended:\n${output}`);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  });
}

function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, PORT: String(port) };
}

async function kill(signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  process.kill(-(server.pid ?? 0), signal);
  await ended;
}

const postmasterFile = () => path.join(clone, '.data/postgres/postmaster.pid');

const quickstart = async (): Promise<Quickstart> =>
  JSON.parse(await readFile(path.join(clone, '.data/quickstart.json'), 'utf8'));

/** Runs a script as the newcomer's shell would. A replacement serves if curl is not installed. */
async function shell(script: string): Promise<string> {
  const curl = path.join(PROJECT, 'test/support/curl.sh');
  const hasCurl = (process.env.PATH ?? '').split(':').some((dir) => existsSync(`${dir}/curl`));
  const preamble = hasCurl ? '' : `. ${curl}\n`;
  return run('bash', ['-euo', 'pipefail', '-c', preamble + script]);
}

async function run(command: string, args: string[]): Promise<string> {
  // With a socket as its input, bash would read the start-up files of a remote shell.
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const child = spawn(command, args, { cwd: clone, env: environment(), stdio: [...stdio] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  }
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${text}`);
  return text;
}

/** The first code block of a page after a heading. */
async function example(page: string, heading: string): Promise<string> {
  const text = await readFile(path.join(clone, page), 'utf8');
  const section = text.slice(text.search(new RegExp(`^#+ ${heading}$`, 'm')));
  return /```\w+\n([\s\S]*?)```/.exec(section)?.[1] ?? '';
}

async function call(operation: string, data: object) {
  const credentials = await quickstart();
  const headers = credentialHeaders(credentials).keyHeaders;
  return post(`${credentials.url}${operation}`, { data }, headers);
}

/** Runs the curl line that the first start printed. */
async function runPrintedCurl(): Promise<void> {
  // The lines for people stand alone, after the log.
  expect(output.indexOf('"listening"')).toBeLessThan(output.indexOf('First start'));
  const line = output.split('\n').find((text) => text.startsWith('curl ')) ?? '';
  expect(await shell(line)).toContain('"status":"success"');
}

async function runFirstCalls(): Promise<void> {
  const script = await example('README.md', 'First calls');
  const answers = await shell(script);
  expect(answers).not.toContain('"error"');
  expect(answers.match(/"status":"success"/g)).toHaveLength(script.match(/^call /gm)?.length ?? 0);
}

/** Follows the quickstart, and repeats its comment until its program `follow.ts` has received one. */
async function followQuickstart(): Promise<void> {
  const text = await readFile(path.join(clone, 'docs/quickstart.md'), 'utf8');
  const [, , credentials, otherCredentials, people, token, comment, inbox, edit] = blocksOf(
    text,
    'sh',
  );
  expect(await shell([credentials, otherCredentials, people, token].join('\n'))).not.toContain(
    '"error"',
  );
  await writeFile(path.join(clone, 'follow.ts'), blocksOf(text, 'ts')[0] ?? '');
  let followed: string | undefined;
  const following = shell(`${credentials}\nnode follow.ts`).then((printed) => {
    followed = printed;
  });
  while (followed === undefined) {
    const answers = await shell([credentials, people, comment].join('\n'));
    expect(answers).not.toContain('"error"');
  }
  await following;
  expect(followed).toContain('comment_annotation.add');
  const answers = await shell([credentials, people, inbox, edit].join('\n'));
  expect(answers).not.toContain('"error"');
  expect(answers).toContain('@Grace Hopper In May?');
}

async function runProgram(page: string, heading: string): Promise<string> {
  await writeFile(path.join(clone, 'example.ts'), await example(page, heading));
  return run(path.join(clone, 'node_modules/.bin/node'), ['example.ts']);
}

const body = { organizationId: 'acme', documentId: 'launch', editorId: 'body' };

/** Answered writes survive a kill immediately afterwards. */
async function surviveKill(): Promise<void> {
  const data = 'Written the moment before the end.';
  const organizationId = 'acme';
  const written = await call('/v2/crdt/update', { ...body, type: 'text', data });
  const added = await call('/v1/users/add', { organizationId, users: [{ userId: 'last' }] });
  await kill('SIGKILL');
  expect([written.status, added.status]).toEqual([200, 200]);

  await start();
  expect(output).not.toContain('First start');
  const content = await call('/v2/crdt/get', body);
  expect(content.body.result.data[0].data).toBe(data);
  const permissions = await call('/v2/auth/permissions/get', { organizationId, userIds: ['last'] });
  expect(permissions.body.result.data.last.organization.acme.accessRole).toBe('editor');
}

it('a newcomer starts the server, follows the guides, and loses nothing when it is killed', async () => {
  await runPrintedCurl();
  // The quickstart must also work after the calls of the README, which add users.
  await runFirstCalls();
  await followQuickstart();
  expect(await runProgram('README.md', 'From TypeScript')).toContain('Launch plan');
  const followed = await runProgram('docs/events.md', 'Subscriptions');
  expect(followed).toContain('comment_annotation.add');
  const read = await runProgram('docs/live-documents.md', 'Connect an editor');
  expect(read).toContain('We launch in June.');
  await surviveKill();

  const startedAt = Date.now();
  await kill('SIGTERM');
  expect(Date.now() - startedAt).toBeLessThan(10_000);
  expect(output).not.toContain('lost');
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
}, 120_000);
