import { expect, it } from 'vitest';
import { failureOf, fresh } from '../support/answers.ts';
import { organize } from '../support/directory.ts';
import { firstStreamMessage } from '../support/first-stream-message.ts';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer({ ROLES: 'api' });
const moved = await startTestServer({ VELT_HEADERS: 'true' });
const DENIED = { http: 403, status: 'PERMISSION_DENIED' };

const veltHeaders = ({ apiKey, authToken }: { apiKey: string; authToken: string }) => ({
  'x-velt-api-key': apiKey,
  'x-velt-auth-token': authToken,
});

it('a server serves callers with the headers of the hosted service where VELT_HEADERS allows them', async () => {
  const { ok, call, quickstart } = moved;
  const headers = veltHeaders(quickstart);
  await ok('/v2/organizations/get', {}, headers);
  const wrong = { ...headers, 'x-velt-auth-token': 'wrong' };
  expect(failureOf(await call('/v2/organizations/get', {}, wrong))).toMatchObject(DENIED);
  const workspace = {
    'x-velt-workspace-id': quickstart.workspaceId,
    'x-velt-workspace-auth-token': quickstart.workspaceAuthToken,
  };
  await ok('/v2/workspace/get', {}, workspace);
  await organize(moved, 'acme', { documents: ['plan'] });
  const place = { organizationId: 'acme', documentId: 'plan' };
  const stream = await firstStreamMessage(moved, place, headers);
  expect(stream).toMatchObject({ id: 1, result: { type: 'started' } });
});

it('a server refuses the headers of the hosted service without VELT_HEADERS', async () => {
  const answer = await server.call('/v2/organizations/get', {}, veltHeaders(server.quickstart));
  expect(failureOf(answer)).toMatchObject(DENIED);
});

it('a server serves the operations of /v1 under /v2 as well', async () => {
  const organizationId = fresh('org');
  const users = [{ userId: 'ada' }];
  await server.ok('/v2/users/add', { organizationId, users });
  const folders = [{ folderId: 'f' }];
  await server.ok('/v2/organizations/folders/add', { organizationId, folders });
  await server.ok('/v2/organizations/folders/update', { organizationId, folders });
  const group = { organizationId, organizationUserGroupId: 'g', userIds: ['ada'] };
  await server.ok('/v2/organizations/usergroups/users/add', group);
  await server.ok('/v2/organizations/usergroups/users/delete', group);
});
