import { describe, expect, it } from 'vitest';
import type { Database } from '../../../src/platform/database/database.ts';
import { fresh, type Headers } from '../../support/answers.ts';
import { makePlan, userToken } from '../../support/editors.ts';
import { eventually, SOON_MS } from '../../support/eventually.ts';
import { createTenant, startTestServer, type TestServer } from '../../support/server.ts';
import { watchStatements } from '../../support/statements.ts';
import { createWorkspace } from '../../support/workspaces.ts';

let lookups = 0;
const onDatabase = ({ pool }: Database) =>
  watchStatements(pool, (text) => {
    if (text.includes('/* credentials */')) lookups++;
  });
const one = await startTestServer({}, { onDatabase });
const two = await startTestServer({ DATABASE_URL: one.databaseUrl });

const apiKeyOf = (headers: Headers) => headers['x-svc-api-key'];

const onWorkspace = (path: string, data: object) =>
  one.ok(`/v2/workspace/${path}`, data, one.workspaceHeaders);

const place = { organizationId: 'acme', documentId: 'plan' };

const status = async (server: TestServer, headers: Headers): Promise<number> =>
  (await server.call('/v2/presence/get', place, headers)).status;

const resetToken = (key: Headers) => onWorkspace('authtoken/reset', { apiKey: apiKeyOf(key) });
type Change = (key: Headers, userId: string) => Promise<unknown>;
const disableKey: Change = (key) =>
  onWorkspace('apikey/update', { apiKey: apiKeyOf(key), disabled: true });
const addDomain: Change = (key) =>
  one.ok('/v2/workspace/domains/add', { domains: ['example.com'] }, key);
const deleteUser: Change = (key, userId) =>
  one.ok('/v2/users/delete', { organizationId: 'acme', userIds: [userId] }, key);
const eraseUser: Change = (key, userId) =>
  one.ok('/v2/users/data/delete', { userIds: [userId] }, key);

const CHANGES: Array<[name: string, by: 'key' | 'user', change: Change]> = [
  ['the reset of the auth token', 'key', resetToken],
  ['the reset of the auth token', 'user', resetToken],
  ['disabling the key', 'key', disableKey],
  ['a domain that the caller does not come from', 'key', addDomain],
  ['deleting the user', 'user', deleteUser],
  ['erasing the user', 'user', eraseUser],
];

describe('credentials that were just used', () => {
  it('are not looked up again', async () => {
    const key = await createTenant(one);
    await one.call('/v2/presence/get', place, key);
    const before = lookups;
    await one.call('/v2/presence/get', place, key);
    expect(lookups).toBe(before);
  });

  it.each(CHANGES)('are refused at once after %s (%s)', async (_name, by, change) => {
    const key = await createTenant(one);
    const userId = fresh('user');
    await makePlan(one, key);
    const token = await userToken(one, userId, { accessRole: 'viewer' }, key);
    const used: Headers =
      by === 'key'
        ? { ...key, origin: 'https://elsewhere.example.org' }
        : { authorization: `Bearer ${token}` };
    expect([await status(one, used), await status(two, used)]).toEqual([200, 200]);
    await change(key, userId);
    expect(await status(one, used)).toBe(403);
    await eventually(async () => expect(await status(two, used)).toBe(403), SOON_MS);
  });

  it('are refused at once after the reset of the workspace auth token', async () => {
    const used = await createWorkspace(one);
    const read = async (server: TestServer) =>
      (await server.call('/v2/workspace/get', {}, used)).status;
    expect([await read(one), await read(two)]).toEqual([200, 200]);
    await one.ok('/v2/workspace/token/reset', {}, used);
    expect(await read(one)).toBe(403);
    await eventually(async () => expect(await read(two)).toBe(403), SOON_MS);
  });
});
