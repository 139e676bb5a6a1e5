import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createDatabase, startTestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const server = await startTestServer({}, { withoutDemo: false });

const place = { organizationId: 'demo', documentId: 'welcome' };

it.each([
  ['/', './docs'],
  ['/docs/', '../docs'],
])('a server leads from %s to the documentation, behind any proxy path', async (path, location) => {
  const response = await fetch(server.url + path, { redirect: 'manual' });
  expect(response.status).toBe(302);
  expect(response.headers.get('location')).toBe(location);
});

it('a first start makes a document with text and a comment, and a notification of the mentioned person', async () => {
  const [editor] = await server.ok('/v2/crdt/get', { ...place, editorId: 'body' });
  expect(editor.data).toContain('edit this text');
  const [annotation] = await server.ok('/v2/commentannotations/get', place);
  expect(annotation.comments).toHaveLength(1);
  const config = await server.ok('/v2/workspace/notificationconfig/get', {});
  expect(config.useNotificationService).toBe(true);
  expect(Object.values(config.triggers.comment)).toEqual(Array(18).fill(true));
  await eventually(async () => {
    const inbox = { organizationId: 'demo', userId: 'grace' };
    expect(await server.ok('/v2/notifications/get', inbox)).toHaveLength(1);
  });
});

it('a first start that could not write its file is repeated, so that the key is not lost', async () => {
  const environment = {
    DATABASE_URL: await createDatabase(),
    DATA_DIR: await temporaryFolder('test-data-'),
  };
  const inTheWay = path.join(environment.DATA_DIR, 'quickstart.json');
  await mkdir(path.join(inTheWay, 'folder'), { recursive: true });
  await expect(startTestServer(environment)).rejects.toThrow('quickstart.json cannot be written');
  const names = await readdir(environment.DATA_DIR);
  expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  await rm(inTheWay, { recursive: true });
  const again = await startTestServer(environment);
  await again.ok('/v2/workspace/get', {}, again.workspaceHeaders);
  await again.ok('/v2/organizations/get');
});
