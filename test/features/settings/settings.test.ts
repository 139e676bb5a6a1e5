import { beforeEach, describe, expect, it } from 'vitest';
import { organize } from '../../support/directory.ts';
import { createTenant, testServer } from '../../support/server.ts';
import { createWorkspace } from '../../support/workspaces.ts';

const server = testServer({ ROLES: 'api' });
let headers: Record<string, string>;
beforeEach(async () => {
  headers = await createTenant(server);
});

const refusalOf = async (name: string, change: object) =>
  (await server.call(`/v2/workspace/${name}/update`, change, headers)).body.error;
const get = (name: string, own = headers) => server.ok(`/v2/workspace/${name}/get`, {}, own);
const update = (name: string, change: object, own = headers) =>
  server.ok(`/v2/workspace/${name}/update`, change, own);

/** The triggers that decisions section 5 lists. */
const COMMENT_TRIGGERS = `newlyAdded added updated deleted approved assigned reactionAdded
  reactionDeleted statusChanged priorityChanged accessModeChanged accepted rejected
  suggestionAccepted suggestionRejected customListChanged subscribed unsubscribed`.split(/\s+/);
const ALL_ON = Object.fromEntries(COMMENT_TRIGGERS.map((name) => [name, true]));
const ALL_OFF = Object.fromEntries(COMMENT_TRIGGERS.map((name) => [name, false]));

const EMAIL = {
  type: 'external',
  apiKey: 'SG.secret',
  fromEmail: 'team@example.com',
  fromCompany: 'Acme',
  commentTemplateId: 'c-1',
  tagTemplateId: 't-1',
};
const WEBHOOK = {
  authToken: 'a secret, ünïcode too',
  rawNotificationUrl: 'https://hooks.example.com/raw?a=1',
  processedNotificationUrl: 'http://hooks.example.com/processed',
};
const KEY = {
  enablePrivateComments: true,
  requireAutoOrgUser: true,
  defaultDocumentAccessType: 'organizationPrivate',
  defaultAccessRole: 'viewer',
  commentAccess: 'viewers',
  allowUserRewrites: true,
  requireAttachmentApproval: true,
  advancedQueries: false,
};
const emptied = (fields: object) =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, '']));
/** Partial updates, each with one of the fields, which together make `all`. */
const partsOf = (all: object): object[] =>
  Object.entries(all).flatMap(([name, value]) => {
    if (Array.isArray(value)) return [];
    const inner = typeof value === 'object' ? partsOf(value) : [value];
    return inner.map((part) => ({ [name]: part }));
  });

interface Settings {
  name: string;
  defaults: object;
  /** The settings after a change of each field. */
  all: object;
  /** Refused updates, with the path of the problem where it is one field. */
  refused: Array<[change: object, path?: string]>;
}

const SETTINGS: Settings[] = [
  {
    name: 'apikeyconfig',
    defaults: {
      enablePrivateComments: false,
      requireAutoOrgUser: false,
      defaultDocumentAccessType: 'public',
      defaultAccessRole: 'editor',
      commentAccess: 'editors',
      advancedQueries: true,
      allowUserRewrites: false,
      requireAttachmentApproval: false,
      aiModelApiKey: [],
    },
    all: { ...KEY, aiModelApiKey: [] },
    refused: [
      [{}],
      [{ aiModelApiKey: [] }],
      [{ aiModelApiKey: [{ provider: 'acme', customerApiKey: 'sk-0123456789' }] }],
      [{ aiModelApiKey: [{ provider: 'openai', customerApiKey: 'two words' }] }],
      [{ defaultAccessRole: 'owner' }],
      [{ commentAccess: 'viewer' }],
    ],
  },
  {
    name: 'emailconfig',
    defaults: {
      useEmailService: false,
      emailServiceConfig: { ...emptied(EMAIL), type: 'default' },
    },
    all: { useEmailService: true, emailServiceConfig: EMAIL },
    refused: [
      [{}],
      [{ emailServiceConfig: {} }],
      [{ emailServiceConfig: { type: 'smtp' } }, 'emailServiceConfig.type'],
      [{ emailServiceConfig: { apiKey: 'a\nb' } }, 'emailServiceConfig.apiKey'],
      [{ emailServiceConfig: { fromEmail: 'nobody' } }, 'emailServiceConfig.fromEmail'],
      [{ emailServiceConfig: { fromCompany: 'x'.repeat(1001) } }, 'emailServiceConfig.fromCompany'],
      [
        { emailServiceConfig: { fromCompany: 'Acme\r\nBcc: eve@example.com' } },
        'emailServiceConfig.fromCompany',
      ],
    ],
  },
  {
    name: 'webhookconfig',
    defaults: { useWebhookService: false, webhookServiceConfig: emptied(WEBHOOK) },
    all: { useWebhookService: true, webhookServiceConfig: WEBHOOK },
    refused: [
      [{}],
      [{ webhookServiceConfig: {} }],
      ...['ftp://example.com', 'example.com', 'https://', 'https://example.com/\0'].map(
        (rawNotificationUrl): [object, string] => [
          { webhookServiceConfig: { rawNotificationUrl } },
          'webhookServiceConfig.rawNotificationUrl',
        ],
      ),
    ],
  },
  {
    name: 'advancedwebhookconfig',
    defaults: { isEnabled: false },
    all: { isEnabled: true },
    refused: [],
  },
  {
    name: 'activityconfig',
    defaults: { activityServiceConfig: { isEnabled: false } },
    all: {
      activityServiceConfig: { isEnabled: true, immutable: true, triggers: { comment: ALL_OFF } },
    },
    refused: [
      [{ activityServiceConfig: {} }, 'activityServiceConfig'],
      [{ activityServiceConfig: { triggers: {} } }, 'activityServiceConfig'],
      [{ activityServiceConfig: { triggers: { 'no name': { added: true } } } }],
      [
        { activityServiceConfig: { triggers: { comment: { add: true } } } },
        'activityServiceConfig.triggers.comment.add',
      ],
    ],
  },
  {
    name: 'notificationconfig',
    defaults: {
      useNotificationService: false,
      triggers: {},
      delay: { isEnabled: false, delaySeconds: 30 },
      batching: { isEnabled: false, windowSeconds: 300, maxNotifications: 10 },
    },
    all: {
      useNotificationService: true,
      triggers: { comment: { added: true, deleted: false } },
      delay: { isEnabled: true, delaySeconds: 99 },
      batching: { isEnabled: false, windowSeconds: 99, maxNotifications: 9 },
    },
    refused: [[{}], [{ delay: {} }], [{ delay: {}, batching: {}, triggers: {} }]],
  },
];

describe.each(SETTINGS)('workspace/$name', ({ name, defaults, all, refused }) => {
  it('has defaults for all fields, and changes the given ones, also concurrently', async () => {
    const parts = partsOf(all);
    expect(await get(name)).toEqual(defaults);
    await Promise.all(parts.map((part) => update(name, part)));
    expect(await get(name)).toEqual(all);
    expect(await update(name, parts[0] ?? {})).toEqual(all);
  });

  it('refuses invalid changes, which change nothing', async () => {
    for (const [change, path] of refused) {
      const error = await refusalOf(name, change);
      expect(error.status).toBe('INVALID_ARGUMENT');
      if (path) expect(error.details.issues[0].path).toBe(path);
    }
    expect(await get(name)).toEqual(defaults);
  });
});

describe('the settings of a key', () => {
  it.each([
    ['emailconfig', 'emailServiceConfig', 'apiKey', EMAIL],
    ['emailconfig', 'emailServiceConfig', 'fromCompany', EMAIL],
    ['webhookconfig', 'webhookServiceConfig', 'authToken', WEBHOOK],
    ['webhookconfig', 'webhookServiceConfig', 'rawNotificationUrl', WEBHOOK],
  ])('in %s clear %s.%s by an empty text', async (name, group, field, full) => {
    await update(name, { [group]: full });
    await update(name, { [group]: { [field]: '' } });
    expect((await get(name))[group]).toEqual({ ...full, [field]: '' });
  });

  it('are those that were given when it was created', async () => {
    headers = await createTenant(server, {
      ...{ useEmailService: true, emailServiceConfig: EMAIL },
      ...{ useNotificationService: true, setDefaultNotificationTriggers: true },
    });
    expect(await get('emailconfig')).toEqual({ useEmailService: true, emailServiceConfig: EMAIL });
    expect(await get('notificationconfig')).toMatchObject({
      useNotificationService: true,
      triggers: { comment: ALL_ON },
    });
  });

  it.each([
    ['delay', 'delaySeconds', 10, 15_552_000],
    ['batching', 'windowSeconds', 10, 604_800],
    ['batching', 'maxNotifications', 2, 50],
  ])('accept %s.%s from %i to %i, whole numbers only', async (group, field, min, max) => {
    for (const value of [min, max]) {
      const changed = await update('notificationconfig', { [group]: { [field]: value } });
      expect(changed[group][field]).toBe(value);
    }
    for (const value of [min - 1, max + 1, min + 0.5]) {
      const error = await refusalOf('notificationconfig', { [group]: { [field]: value } });
      expect(error.details.issues[0].path).toBe(`${group}.${field}`);
    }
  });

  it('apply to the access type of new documents', async () => {
    await update('apikeyconfig', { defaultDocumentAccessType: 'restricted' });
    const organizationId = await organize(server, 'acme', { documents: ['d'] }, headers);
    const found = await server.ok('/v2/organizations/documents/get', { organizationId }, headers);
    expect(found).toMatchObject([{ accessType: 'restricted' }]);
  });

  it.each([
    ['/v2/organizations/documents/get', {}],
    ['/v2/organizations/folders/add', { folders: [{ folderId: 'f' }] }],
    ['/v1/organizations/folders/update', { folders: [{ folderId: 'f' }] }],
    ['/v2/notifications/get', { userId: 'ada' }],
  ])('apply to %s, which requires advanced queries', async (path, data) => {
    await update('apikeyconfig', { advancedQueries: false });
    const { body } = await server.call(path, { organizationId: 'acme', ...data }, headers);
    expect(body.error.status).toBe('FAILED_PRECONDITION');
  });

  it('apply to the role of users who are added without one', async () => {
    const organizationId = 'acme';
    const add = (...users: object[]) =>
      server.ok('/v1/users/add', { organizationId, users }, headers);
    await add({ userId: 'before' });
    await update('apikeyconfig', { defaultAccessRole: 'viewer', requireAutoOrgUser: true });
    await add({ userId: 'before', name: 'Bea' }, { userId: 'added' });
    await add({ userId: 'named', accessRole: 'editor' });
    const resources = [{ type: 'organization', id: 'acme' }];
    const permissions = { user: { userId: 'given' }, permissions: { resources } };
    await server.ok('/v2/auth/permissions/add', permissions, headers);
    const token = { userId: 'joined', organizations: ['acme'] };
    await server.ok('/v2/auth/generate_token', token, headers);
    expect(await server.ok('/v2/users/get', { organizationId }, headers)).toMatchObject([
      { userId: 'added', accessRole: 'viewer' },
      { userId: 'before', accessRole: 'editor' },
      { userId: 'given', accessRole: 'viewer' },
      { userId: 'joined', accessRole: 'viewer' },
      { userId: 'named', accessRole: 'editor' },
    ]);
  });
});

describe('workspace/activityconfig', () => {
  const configure = async (activityServiceConfig: object) =>
    (await update('activityconfig', { activityServiceConfig })).activityServiceConfig;
  const refusalOfTriggers = (triggers: object) =>
    refusalOf('activityconfig', { activityServiceConfig: { triggers } });

  it('gets the defaults of the first time for what was not set, and later none', async () => {
    const comment = { ...ALL_ON, added: false };
    const triggers = { comment: { added: false } };
    expect(await configure({ triggers })).toEqual({ isEnabled: false, immutable: false, triggers });
    const enabled = { isEnabled: true, immutable: true, triggers: { comment } };
    expect(await configure({ isEnabled: true })).toEqual(enabled);
    await configure({ immutable: false, triggers: { comment: { deleted: false } } });
    await configure({ isEnabled: false });
    const again = { immutable: false, triggers: { comment: { ...comment, deleted: false } } };
    expect(await configure({ isEnabled: true })).toEqual({ ...enabled, ...again });
    headers = await createTenant(server);
    const given = { isEnabled: true, immutable: false, triggers };
    expect(await configure(given)).toEqual({ ...given, triggers: { comment } });
  });

  it.each(['Comment', 'comment_annotation', 'documnet'])(
    'refuses triggers of the misspelt feature %s',
    async (feature) => {
      const [issue] = (await refusalOfTriggers({ [feature]: { added: true } })).details.issues;
      expect(issue.path).toBe(`activityServiceConfig.triggers.${feature}`);
      expect(issue.message).toMatch(/Did you mean (comment|document)\?/);
    },
  );

  it('limits the number of triggers', async () => {
    const names = (from: number) =>
      Object.fromEntries(
        Array.from({ length: 600 }, (_, at) => [`t${from + at}${'x'.repeat(90)}`, true]),
      );
    await configure({ triggers: { custom: names(0) } });
    expect((await refusalOfTriggers({ custom: names(600) })).status).toBe('INVALID_ARGUMENT');
    const { activityServiceConfig } = await get('activityconfig');
    expect(Object.keys(activityServiceConfig.triggers.custom)).toHaveLength(600);
  });
});

describe('keys of model providers', () => {
  const LONG_KEY = 'sk-proj-abcdefghijklmnopa1b2';
  const given = (provider: string, customerApiKey = LONG_KEY) => ({ provider, customerApiKey });
  const masked = (provider: string, customerApiKey = 'sk-…a1b2') => given(provider, customerApiKey);
  const keys = async (own = headers) => (await get('apikeyconfig', own)).aiModelApiKey;
  const set = async (aiModelApiKey: object[], own = headers) =>
    (await update('apikeyconfig', { aiModelApiKey }, own)).aiModelApiKey;

  /** Another key in the same workspace. */
  let sibling: Record<string, string>;
  beforeEach(async () => {
    const own = { ...server, workspaceHeaders: await createWorkspace(server) };
    [headers, sibling] = [await createTenant(own), await createTenant(own)];
  });

  it.each([
    [LONG_KEY, 'sk-…a1b2'],
    ['AIzaSyA-0123456789-abcdefwxyz', '…wxyz'],
    ['sk-0123456789012345z', 'sk-…345z'],
    ['sk-012345678901234z', '…'],
    ['short', '…'],
  ])('%s is always returned as %s', async (key, shown) => {
    expect(await set([given('openai', key)])).toEqual([masked('openai', shown)]);
    expect(await keys()).toEqual([masked('openai', shown)]);
  });

  it('are shared by the API keys of a workspace, and hidden from other workspaces', async () => {
    await set([given('openai')]);
    expect(await keys(sibling)).toEqual([masked('openai')]);
    expect(await keys(server.keyHeaders)).toEqual([]);
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
    expect(await keys()).toEqual(expect.arrayContaining([masked('anthropic'), masked('openai')]));
  });
});
