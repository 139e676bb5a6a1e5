import { beforeAll, describe, expect, it } from 'vitest';
import { createTenant, startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let headers: Record<string, string>;
beforeAll(async () => {
  server = await startTestServer();
});

const DEFAULTS = {
  useWebhookService: false,
  webhookServiceConfig: { authToken: '', rawNotificationUrl: '', processedNotificationUrl: '' },
};
const FULL = {
  useWebhookService: true,
  webhookServiceConfig: {
    authToken: 'a secret, ünïcode too',
    rawNotificationUrl: 'https://hooks.example.com/raw?a=1',
    processedNotificationUrl: 'http://hooks.example.com/processed',
  },
};

const call = async (operation: 'get' | 'update', data: object) =>
  (await server.call(`/v2/workspace/webhookconfig/${operation}`, data, headers)).body;

describe('workspace/webhookconfig', () => {
  it('has defaults for all fields', async () => {
    headers = await createTenant(server);
    expect((await call('get', {})).result.data).toEqual(DEFAULTS);
  });

  it('returns the settings after an update, with the complete token', async () => {
    headers = await createTenant(server);
    expect((await call('update', FULL)).result.data).toEqual(FULL);
    expect((await call('get', {})).result.data).toEqual(FULL);
  });

  it('keeps fields that an update does not name, and clears a field by an empty string', async () => {
    headers = await createTenant(server);
    await call('update', FULL);
    const cleared = { ...FULL.webhookServiceConfig, rawNotificationUrl: '' };
    const answer = await call('update', { webhookServiceConfig: { rawNotificationUrl: '' } });
    expect(answer.result.data).toEqual({ ...FULL, webhookServiceConfig: cleared });
    const withoutToken = await call('update', { webhookServiceConfig: { authToken: '' } });
    expect(withoutToken.result.data.webhookServiceConfig).toEqual({ ...cleared, authToken: '' });
  });

  it.each([
    {},
    { webhookServiceConfig: {} },
    { webhookServiceConfig: { url: 'https://example.com' } },
  ])('refuses an update without a field: %j', async (change) => {
    headers = await createTenant(server);
    expect((await call('update', change)).error.status).toBe('INVALID_ARGUMENT');
  });

  it.each(['ftp://example.com', 'example.com', 'https://', 'https://example.com/\0'])(
    'refuses %j as a URL',
    async (rawNotificationUrl) => {
      headers = await createTenant(server);
      const { error } = await call('update', { webhookServiceConfig: { rawNotificationUrl } });
      expect(error.details.issues[0].path).toBe('webhookServiceConfig.rawNotificationUrl');
      expect((await call('get', {})).result.data).toEqual(DEFAULTS);
    },
  );

  it('applies both of two concurrent partial updates', async () => {
    headers = await createTenant(server);
    const parts = Object.entries(FULL.webhookServiceConfig).map(([field, value]) => ({
      webhookServiceConfig: { [field]: value },
    }));
    const changes = [{ useWebhookService: true }, ...parts];
    await Promise.all(changes.map((change) => call('update', change)));
    expect((await call('get', {})).result.data).toEqual(FULL);
  });
});

describe('workspace/advancedwebhookconfig', () => {
  const advanced = async (operation: 'get' | 'update', data: object) =>
    (await server.call(`/v2/workspace/advancedwebhookconfig/${operation}`, data, headers)).body;

  it('is disabled by default', async () => {
    headers = await createTenant(server);
    expect((await advanced('get', {})).result.data).toEqual({ isEnabled: false });
    expect((await advanced('update', { isEnabled: true })).result.data).toEqual({
      isEnabled: true,
    });
    expect((await advanced('get', {})).result.data).toEqual({ isEnabled: true });
    await advanced('update', { isEnabled: false });
    expect((await advanced('get', {})).result.data).toEqual({ isEnabled: false });
  });

  it('refuses an update without a field', async () => {
    headers = await createTenant(server);
    const { error } = await advanced('update', {});
    expect(error.details.issues[0].path).toBe('isEnabled');
  });
});
