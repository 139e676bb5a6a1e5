import { describe, expect, it } from 'vitest';
import { dataOf, failureOf } from '../../support/answers.ts';
import { testServer } from '../../support/server.ts';

const server = testServer();

const createWorkspace = async () =>
  dataOf(
    await server.call(
      '/v2/workspace/create',
      { ownerEmail: 'ada@example.com' },
      server.adminHeaders,
    ),
  );
const update = (data: object) => server.call('/v2/workspace/update', data, server.adminHeaders);
const createProductionKey = async ({ id, authToken }: { id: string; authToken: string }) => {
  const headers = { 'x-svc-workspace-id': id, 'x-svc-workspace-auth-token': authToken };
  const input = { ownerEmail: 'ada@example.com', type: 'production' };
  return failureOf(await server.call('/v2/workspace/apikey/create', input, headers)).status;
};

describe('workspace/update', () => {
  it('returns the workspace', async () => {
    const { authToken: _, ...workspace } = await createWorkspace();
    const answer = await update({ workspaceId: workspace.id, plan: 'paid' });
    expect(dataOf(answer)).toEqual(workspace);
  });

  it('keeps fields that are not given', async () => {
    const workspace = await createWorkspace();
    const workspaceId = workspace.id;
    for (const settings of [
      { plan: 'paid' },
      { selfServeProductionKeys: true },
      { maxProductionKeys: 1 },
      {},
    ]) {
      dataOf(await update({ workspaceId, ...settings }));
    }
    expect(await createProductionKey(workspace)).toBeUndefined();
    expect(await createProductionKey(workspace)).toBe('RESOURCE_EXHAUSTED');
  });

  it('applies from the next call on, to one workspace only', async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const workspaceId = workspace.id;
    await update({ workspaceId, plan: 'paid', selfServeProductionKeys: true });
    expect(await createProductionKey(workspace)).toBeUndefined();
    expect(await createProductionKey(other)).toBe('PERMISSION_DENIED');
    await update({ workspaceId, plan: 'free' });
    expect(await createProductionKey(workspace)).toBe('FAILED_PRECONDITION');
    await update({ workspaceId, selfServeProductionKeys: false });
    expect(await createProductionKey(workspace)).toBe('PERMISSION_DENIED');
  });

  it('returns NOT_FOUND for an unknown workspace', async () => {
    expect(failureOf(await update({ workspaceId: 'unknown', plan: 'paid' }))).toMatchObject({
      http: 404,
      status: 'NOT_FOUND',
    });
  });
});
