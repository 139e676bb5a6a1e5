import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, failureOf, invalid } from '../../support/answers.ts';
import { testServer } from '../../support/server.ts';
import { createWorkspace } from '../../support/workspaces.ts';

const server = testServer();
/** The ids of the workspace's seven keys, in the order of the listing. */
let apiKeys: string[];
beforeAll(async () => {
  apiKeys = [server.quickstart.apiKey];
  for (let number = 2; number <= 7; number++) apiKeys.push(await createKey(`Key ${number}`));
  apiKeys.sort();
});

const get = (data: object, headers = server.workspaceHeaders) =>
  server.call('/v2/workspace/apikeys/get', data, headers);
const idsOf = (keys: Array<{ id: string }>) => keys.map(({ id }) => id);

async function createKey(apiKeyName: string) {
  const input = { ownerEmail: 'ada@example.com', type: 'testing', apiKeyName };
  const path = '/v2/workspace/apikey/create';
  return dataOf(await server.call(path, input, server.workspaceHeaders)).apiKey as string;
}

describe('workspace/apikeys/get', () => {
  it('returns id, name and type of every key, and no page token on the last page', async () => {
    const { body } = await get({});
    expect(idsOf(body.result.data)).toEqual(apiKeys);
    for (const key of body.result.data) {
      expect(key).toEqual({
        id: expect.any(String),
        apiKeyName: expect.stringMatching(/^(Key \d|Testing)$/),
        type: 'testing',
      });
    }
    expect(body.result).not.toHaveProperty('nextPageToken');
  });

  it('returns the keys that are named, and all without a name', async () => {
    const wanted = [apiKeys[4], 'unknown', apiKeys[1], apiKeys[1]];
    expect(idsOf(dataOf(await get({ apiKeys: wanted })))).toEqual([apiKeys[1], apiKeys[4]]);
    expect(idsOf(dataOf(await get({ apiKeys: [] })))).toEqual(apiKeys);
  });

  it('returns each key once in pages, and refuses a page token of another query', async () => {
    const first = (await get({ pageSize: 3 })).body.result;
    const { nextPageToken: pageToken } = first;
    const second = (await get({ pageSize: 4, pageToken })).body.result;
    expect(idsOf([...first.data, ...second.data])).toEqual(apiKeys);
    expect(second).not.toHaveProperty('nextPageToken');
    expect((await get({ pageToken, apiKeys })).body).toEqual(invalid('pageToken'));
  });

  it('returns no keys of another workspace', async () => {
    const headers = await createWorkspace(server);
    expect(dataOf(await get({}, headers))).toHaveLength(1);
    expect(dataOf(await get({ apiKeys }, headers))).toEqual([]);
    const { nextPageToken: pageToken } = (await get({ pageSize: 2 })).body.result;
    expect(failureOf(await get({ pageToken }, headers)).status).toBe('INVALID_ARGUMENT');
  });
});
