import { beforeEach, describe, expect, it } from 'vitest';
import { createTenant, testServer } from '../../support/server.ts';
import { createWorkspace } from '../../support/workspaces.ts';

const LONG_KEY = 'sk-proj-abcdefghijklmnopa1b2';

const server = testServer({ ROLES: 'api' });
/** Two keys in their own workspace, because provider keys are shared in a workspace. */
let headers: Record<string, string>;
let sibling: Record<string, string>;
beforeEach(async () => {
  const own = { ...server, workspaceHeaders: await createWorkspace(server) };
  [headers, sibling] = [await createTenant(own), await createTenant(own)];
});

const given = (provider: string, customerApiKey = LONG_KEY) => ({ provider, customerApiKey });
const masked = (provider: string, customerApiKey = 'sk-…a1b2') => ({ provider, customerApiKey });
const get = async (own = headers) =>
  (await server.call('/v2/workspace/apikeyconfig/get', {}, own)).body.result.data.aiModelApiKey;
const set = async (aiModelApiKey: object[], own = headers) =>
  (await server.call('/v2/workspace/apikeyconfig/update', { aiModelApiKey }, own)).body.result.data
    .aiModelApiKey;

describe('keys of model providers', () => {
  it('are always returned masked', async () => {
    const short = given('anthropic', 'sk-short');
    const shown = [masked('anthropic', '…'), masked('openai')];
    expect(await set([given('openai'), short])).toEqual(shown);
    expect(await get()).toEqual(shown);
  });

  it('are shared by the API keys of a workspace, and hidden from other workspaces', async () => {
    await set([given('openai')]);
    expect(await get(sibling)).toEqual([masked('openai')]);
    expect(await get(server.keyHeaders)).toEqual([]);
  });

  it('are replaced by provider, with the last of a batch, and deleted by an empty value', async () => {
    await set([given('gemini')]);
    const both = await set([given('openai', 'x'.repeat(30)), given('openai')]);
    expect(both).toEqual([masked('gemini'), masked('openai')]);
    expect(await set([given('gemini', '')])).toEqual([masked('openai')]);
  });

  it('are all stored when several API keys set them concurrently', async () => {
    await Promise.all(
      ['openai', 'anthropic', 'gemini', 'openai'].map((provider, at) =>
        set([given(provider), given('gemini', at % 2 ? '' : LONG_KEY)], at % 2 ? headers : sibling),
      ),
    );
    expect(await get()).toEqual(expect.arrayContaining([masked('anthropic'), masked('openai')]));
  });
});
