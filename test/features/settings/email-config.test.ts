import { beforeAll, describe, expect, it } from 'vitest';
import { createTenant, startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let headers: Record<string, string>;
beforeAll(async () => {
  server = await startTestServer({ ROLES: 'api' });
});

const DEFAULTS = {
  useEmailService: false,
  emailServiceConfig: {
    type: 'default',
    apiKey: '',
    fromEmail: '',
    fromCompany: '',
    commentTemplateId: '',
    tagTemplateId: '',
  },
};
const FULL = {
  useEmailService: true,
  emailServiceConfig: {
    type: 'external',
    apiKey: 'SG.secret',
    fromEmail: 'team@example.com',
    fromCompany: 'Acme',
    commentTemplateId: 'c-1',
    tagTemplateId: 't-1',
  },
};

const get = async () => (await server.call('/v2/workspace/emailconfig/get', {}, headers)).body;
const update = async (data: object) =>
  (await server.call('/v2/workspace/emailconfig/update', data, headers)).body;

describe('workspace/emailconfig', () => {
  it('has defaults for all fields', async () => {
    headers = await createTenant(server);
    expect(await get()).toEqual({
      result: {
        status: 'success',
        message: 'Email config retrieved successfully.',
        data: DEFAULTS,
      },
    });
  });

  it('returns the settings after an update, with the complete secret', async () => {
    headers = await createTenant(server);
    expect(await update(FULL)).toEqual({
      result: { status: 'success', message: 'Email config updated successfully.', data: FULL },
    });
    expect((await get()).result.data).toEqual(FULL);
  });

  it('returns the settings that were given when the key was created', async () => {
    const created = await server.call(
      '/v2/workspace/apikey/create',
      { ownerEmail: 'ada@example.com', type: 'testing', createAuthToken: true, ...FULL },
      server.workspaceHeaders,
    );
    const { apiKey } = created.body.result.data;
    const tokens = await server.call(
      '/v2/workspace/authtokens/get',
      { apiKey },
      server.workspaceHeaders,
    );
    const [{ token }] = tokens.body.result.data.authTokens;
    headers = { 'x-svc-api-key': apiKey, 'x-svc-auth-token': token };
    expect((await get()).result.data).toEqual(FULL);
  });

  it.each([
    [{ useEmailService: false }, { ...FULL, useEmailService: false }],
    [
      { emailServiceConfig: { fromCompany: '' } },
      { ...FULL, emailServiceConfig: { ...FULL.emailServiceConfig, fromCompany: '' } },
    ],
    [
      { emailServiceConfig: { apiKey: '' } },
      { ...FULL, emailServiceConfig: { ...FULL.emailServiceConfig, apiKey: '' } },
    ],
    [{ useEmailService: true, emailServiceConfig: {} }, FULL],
  ])('changes by %j nothing else', async (change, expected) => {
    headers = await createTenant(server);
    await update(FULL);
    expect((await update(change)).result.data).toEqual(expected);
    expect((await get()).result.data).toEqual(expected);
  });

  it.each([
    {},
    { emailServiceConfig: {} },
    { emailServiceConfig: { apikey: 'x' } },
    { useemailservice: true },
  ])('refuses an update without a field: %j', async (change) => {
    headers = await createTenant(server);
    const { error } = await update(change);
    expect(error).toMatchObject({ status: 'INVALID_ARGUMENT', code: 400 });
    expect((await get()).result.data).toEqual(DEFAULTS);
  });

  it.each([
    [{ type: 'smtp' }, 'type'],
    [{ apiKey: 'a\nb' }, 'apiKey'],
    [{ fromEmail: 'nobody' }, 'fromEmail'],
    [{ fromCompany: 'x'.repeat(1001) }, 'fromCompany'],
    [{ fromCompany: 'Acme\r\nBcc: eve@example.com' }, 'fromCompany'],
  ])('refuses %j and changes nothing', async (config, field) => {
    headers = await createTenant(server);
    const { error } = await update({ useEmailService: true, emailServiceConfig: config });
    expect(error.details.issues[0].path).toBe(`emailServiceConfig.${field}`);
    expect((await get()).result.data).toEqual(DEFAULTS);
  });

  it('applies both of two concurrent partial updates', async () => {
    headers = await createTenant(server);
    const parts = Object.entries(FULL.emailServiceConfig).map(([field, value]) => ({
      emailServiceConfig: { [field]: value },
    }));
    await Promise.all([{ useEmailService: true }, ...parts].map(update));
    expect((await get()).result.data).toEqual(FULL);
  });

  it('runs one statement', async () => {
    headers = await createTenant(server);
    expect(await server.statementsOf(() => update(FULL))).toHaveLength(1);
    expect(await server.statementsOf(get)).toHaveLength(1);
  });
});
