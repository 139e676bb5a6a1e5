import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, failureOf, invalid } from '../../support/answers.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
/** The ids of the workspace's seven keys, in the order of the listing. */
let apiKeys: string[];
beforeAll(async () => {
  server = await startTestServer();
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

  it.each([1, 2, 3, 6, 7, 100, 1000])('returns each key once in pages of %i', async (pageSize) => {
    const seen: string[] = [];
    let pageToken: string | undefined;
    do {
      const { body } = await get({ pageSize, pageToken });
      seen.push(...idsOf(body.result.data));
      pageToken = body.result.nextPageToken;
    } while (pageToken !== undefined);
    expect(seen).toEqual(apiKeys);
  });

  it('returns a token that opens no operation closed to users', async () => {
    const wanted = [apiKeys[4], 'unknown', apiKeys[1], apiKeys[1]];
    expect(idsOf(dataOf(await get({ apiKeys: wanted })))).toEqual([apiKeys[1], apiKeys[4]]);
  });

  it('ignores an empty list of ids', async () => {
    expect(idsOf(dataOf(await get({ apiKeys: [] })))).toEqual(apiKeys);
  });

  it('refuses a page token that is forged or belongs to another query', async () => {
    const { nextPageToken: pageToken } = (await get({ pageSize: 2 })).body.result;
    for (const input of [
      { pageToken: 'forged' },
      { pageToken: `${pageToken}x` },
      { pageToken, apiKeys },
    ]) {
      expect((await get(input)).body).toEqual(invalid('pageToken'));
    }
    expect(idsOf(dataOf(await get({ pageToken, pageSize: 3 })))).toEqual(apiKeys.slice(2, 5));
  });

  it('returns no keys of another workspace', async () => {
    const owner = { ownerEmail: 'eve@example.com' };
    const other = dataOf(await server.call('/v2/workspace/create', owner, server.adminHeaders));
    const headers = {
      'x-svc-workspace-id': other.id,
      'x-svc-workspace-auth-token': other.authToken,
    };
    expect(idsOf(dataOf(await get({}, headers)))).toEqual(Object.keys(other.apiKeyList));
    expect(dataOf(await get({ apiKeys }, headers))).toEqual([]);
    const { nextPageToken: pageToken } = (await get({ pageSize: 2 })).body.result;
    expect(failureOf(await get({ pageToken }, headers)).status).toBe('INVALID_ARGUMENT');
  });
});
