import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { organize } from '../../support/directory.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { blocksOf, makeUserProject, startExample } from '../../support/run-example.ts';
import { startTestServer } from '../../support/server.ts';
import { whenFileEnds } from '../../support/when-file-ends.ts';

it('the receiver in the guide receives events', async () => {
  const server = await startTestServer({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
  const [code = ''] = blocksOf(await readFile('docs/webhooks.md', 'utf8'), 'ts');
  expect(code).toContain('verifyWebhook');
  const folder = await makeUserProject();
  await mkdir(path.join(folder, '.data'));
  await writeFile(path.join(folder, '.data/quickstart.json'), JSON.stringify(server.quickstart));

  const port = await freePort();
  const receiver = await startExample(folder, 'ts', code.replaceAll('4000', String(port)), {});
  whenFileEnds(receiver.end);
  await eventually(() => fetch(`http://127.0.0.1:${port}/`));
  await organize(server, 'acme', { documents: ['launch'] });
  await eventually(() => expect(receiver.printed()).toMatch(/^\w{20} document\.add launch$/m));
});
