import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { startTestServer } from '../../support/server.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const PROJECT = path.join(import.meta.dirname, '../../..');

it('the receiver in the guide receives events', async () => {
  const server = await startTestServer({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
  const page = await readFile(path.join(PROJECT, 'docs/webhooks.md'), 'utf8');
  const section = page.slice(page.indexOf('## Receive events'));
  const code = /```ts\n([\s\S]*?)```/.exec(section)?.[1] ?? '';
  expect(code).toContain('verifyWebhook');

  const folder = await makeTemporaryFolder('test-readme-');
  for (const name of ['src', 'node_modules', 'package.json']) {
    await symlink(path.join(PROJECT, name), path.join(folder, name));
  }
  await mkdir(path.join(folder, '.data'));
  await writeFile(path.join(folder, '.data/quickstart.json'), JSON.stringify(server.quickstart));
  const port = await freePort();
  await writeFile(path.join(folder, 'receiver.ts'), code.replaceAll('4000', String(port)));
  const child = spawn(process.execPath, ['receiver.ts'], { cwd: folder });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  try {
    await eventually(() => fetch(`http://127.0.0.1:${port}/`));
    const documents = [{ documentId: 'launch' }];
    const input = { organizationId: 'acme', createOrganization: true, documents };
    await server.ok('/v2/organizations/documents/add', input);
    await eventually(() => expect(output).toMatch(/^\w{20} document\.add launch$/m));
  } finally {
    const exit = once(child, 'exit');
    child.kill();
    await exit;
    await rm(folder, { recursive: true, force: true });
  }
});
