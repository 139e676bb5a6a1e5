import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTenant, startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let headers: Record<string, string>;
beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  headers = await createTenant(server);
});

const DEFAULTS = {
  useNotificationService: false,
  triggers: {},
  delay: { isEnabled: false, delaySeconds: 30 },
  batching: { isEnabled: false, windowSeconds: 300, maxNotifications: 10 },
};

const call = async (operation: 'get' | 'update', data: object) =>
  (await server.call(`/v2/workspace/notificationconfig/${operation}`, data, headers)).body;
const get = async () => (await call('get', {})).result.data;

describe('workspace/notificationconfig', () => {
  it('has defaults for all fields', async () => {
    expect(await get()).toEqual(DEFAULTS);
  });

  it.each([
    [{ useNotificationService: true }, { useNotificationService: true }],
    [{ triggers: { comment: { added: true } } }, { triggers: { comment: { added: true } } }],
    [{ delay: { delaySeconds: 60 } }, { delay: { isEnabled: false, delaySeconds: 60 } }],
    [
      { batching: { isEnabled: true, maxNotifications: 50 } },
      { batching: { isEnabled: true, windowSeconds: 300, maxNotifications: 50 } },
    ],
  ])('changes by %j nothing else', async (change, expected) => {
    const { result } = await call('update', change);
    expect(result.data).toEqual({ ...DEFAULTS, ...expected });
    expect(await get()).toEqual(result.data);
  });

  it('merges updates', async () => {
    await call('update', {
      triggers: { comment: { added: true, deleted: true } },
      delay: { isEnabled: true, delaySeconds: 90 },
    });
    await call('update', {
      triggers: { comment: { deleted: false } },
      delay: { isEnabled: false },
    });
    expect(await get()).toEqual({
      ...DEFAULTS,
      triggers: { comment: { added: true, deleted: false } },
      delay: { isEnabled: false, delaySeconds: 90 },
    });
  });

  it('returns the triggers that were set when the key was created', async () => {
    const created = await server.call(
      '/v2/workspace/apikey/create',
      {
        ...{ ownerEmail: 'ada@example.com', type: 'testing', createAuthToken: true },
        ...{ useNotificationService: true, setDefaultNotificationTriggers: true },
      },
      server.workspaceHeaders,
    );
    const { apiKey } = created.body.result.data;
    const path = '/v2/workspace/authtokens/get';
    const tokens = await server.call(path, { apiKey }, server.workspaceHeaders);
    const [{ token }] = tokens.body.result.data.authTokens;
    headers = { 'x-svc-api-key': apiKey, 'x-svc-auth-token': token };
    const { useNotificationService, triggers } = await get();
    expect(useNotificationService).toBe(true);
    expect(Object.keys(triggers.comment)).toHaveLength(18);
    expect(new Set(Object.values(triggers.comment))).toEqual(new Set([true]));
  });

  it.each([
    ['delay', 'delaySeconds', 10, 15_552_000],
    ['batching', 'windowSeconds', 10, 604_800],
    ['batching', 'maxNotifications', 2, 50],
  ])('accepts %s.%s from %i to %i, whole numbers only', async (group, field, min, max) => {
    for (const value of [min, max]) {
      const { result } = await call('update', { [group]: { [field]: value } });
      expect(result.data[group][field]).toBe(value);
    }
    for (const value of [min - 1, max + 1, min + 0.5]) {
      const { error } = await call('update', { [group]: { [field]: value } });
      expect(error.details.issues[0].path).toBe(`${group}.${field}`);
    }
    expect((await get())[group][field]).toBe(max);
  });

  it.each([{}, { delay: {} }, { delay: {}, batching: {}, triggers: {} }])(
    'refuses an update without a field: %j',
    async (change) => {
      expect((await call('update', change)).error.status).toBe('INVALID_ARGUMENT');
    },
  );

  it('applies both of two concurrent partial updates', async () => {
    const changes = [
      { useNotificationService: true },
      { triggers: { comment: { added: true } } },
      { triggers: { comment: { deleted: true } } },
      { delay: { isEnabled: true } },
      { delay: { delaySeconds: 99 } },
      { batching: { windowSeconds: 99 } },
      { batching: { maxNotifications: 9 } },
    ];
    await Promise.all(changes.map((change) => call('update', change)));
    expect(await get()).toEqual({
      useNotificationService: true,
      triggers: { comment: { added: true, deleted: true } },
      delay: { isEnabled: true, delaySeconds: 99 },
      batching: { isEnabled: false, windowSeconds: 99, maxNotifications: 9 },
    });
  });
});
