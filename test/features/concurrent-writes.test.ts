import { expect, it } from 'vitest';
import { fresh } from '../support/answers.ts';
import { eventsOf } from '../support/events.ts';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer();
/** Another process on the same database. */
const second = await startTestServer({ DATABASE_URL: server.databaseUrl });

const ids = Array.from({ length: 10 }, (_, index) => `id${index}`);

it('concurrent callers create one organization, and add each of its resources once', async () => {
  const place = { organizationId: fresh('org'), createOrganization: true };
  const folders = ids.map((folderId, at) => ({ folderId, parentFolderId: ids[at - 1] }));
  const calls: Array<[path: string, data: object]> = [
    ['/v1/users/add', { users: ids.map((userId) => ({ userId })) }],
    ['/v1/users/add', { documentId: 'id3', users: [{ userId: 'id3' }] }],
    ['/v2/organizations/folders/add', { folders }],
    ['/v2/organizations/folders/add', { folders: folders.toReversed() }],
    ['/v2/organizations/documents/add', { documents: ids.map((documentId) => ({ documentId })) }],
    ['/v2/auth/generate_token', { userId: 'id5', userProperties: { name: 'Five' } }],
  ];
  await Promise.all(
    Array.from({ length: 6 }, (_, round) =>
      calls.map(([path, data]) => {
        const process = round % 2 === 0 ? server : second;
        return process.ok(path, { ...place, ...data }, server.keyHeaders);
      }),
    ).flat(),
  );
  const events = await eventsOf(server, place.organizationId);
  const count = (eventType: string) => events.filter(({ type }) => type === eventType).length;
  expect(['organization', 'folder', 'document'].map((what) => count(`${what}.add`))).toEqual([
    ...[1, ids.length, ids.length],
  ]);
  expect(count('user.add')).toBe(ids.length + 1);
});
