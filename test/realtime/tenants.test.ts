import { expect, it } from 'vitest';
import { makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { createTenant, startTestServer } from '../support/server.ts';

const server = await startTestServer();
const otherHeaders = await createTenant(server);
await makePlan(server);
await makePlan(server, otherHeaders);

it('live documents of two tenants never mix, although their names are the same', async () => {
  const name = 'acme/plan/body';
  const ours = await openEditor({
    url: server.url,
    name,
    token: await userToken(server, 'ada', { accessRole: 'editor' }),
  });
  const theirs = await openEditor({
    url: server.url,
    name,
    token: await userToken(server, 'ada', { accessRole: 'editor' }, otherHeaders),
  });
  ours.text.insert(0, 'ours');
  theirs.text.insert(0, 'theirs');
  ours.provider.setAwarenessField('user', { id: 'ada', secret: 'ours' });
  await Promise.all([ours.sent(), theirs.sent()]);
  const contentFor = async (headers: Record<string, string>) => {
    const place = { organizationId: 'acme', documentId: 'plan' };
    const { body } = await server.call('/v2/crdt/get', place, headers);
    return body.result.data.map(({ data }: { data: string }) => data);
  };
  await eventually(async () => {
    expect(await contentFor(server.keyHeaders)).toEqual(['ours']);
    expect(await contentFor(otherHeaders)).toEqual(['theirs']);
  });
  expect(ours.text.toString()).toBe('ours');
  expect(theirs.text.toString()).toBe('theirs');
  expect(JSON.stringify([...(theirs.provider.awareness?.getStates().values() ?? [])])).not.toMatch(
    'secret',
  );
});
