import { createTRPCUntypedClient, httpBatchLink } from '@trpc/client';
import type { AnyProcedure } from '@trpc/server';
import superjson from 'superjson';
import { describe, expect, it } from 'vitest';
import type { ConsoleRole } from '../../src/api/credentials/signed-in.ts';
import type { OperationMeta } from '../../src/api/operation-meta.ts';
import { consoleRouter } from '../../src/console/operations/router.ts';
import type { Loose } from '../support/answers.ts';
import { credentialsOf, OWN_PAGE, signInTo } from '../support/console.ts';
import { Browser, startOpenIdProvider } from '../support/open-id-provider.ts';
import { failureOfCall, operations, type SeenFailure } from '../support/operations.ts';
import { createTenant, startTestServer } from '../support/server.ts';
import { createWorkspaceKey } from '../support/workspaces.ts';

const provider = await startOpenIdProvider();
const server = await startTestServer({
  ...provider.environment,
  CONSOLE_OIDC_ROLE_CLAIM: 'groups',
});
const { apiKey: ownKey } = server.quickstart;
/** Another key of the workspace, and a key of another workspace. */
const sibling = (await createTenant(server))['x-svc-api-key'] ?? '';
const foreign = (await createWorkspaceKey(server))['x-svc-api-key'] ?? '';

type Role = keyof ReturnType<typeof credentialsOf>;
const signIn = async (role: Role) =>
  (await signInTo(server.url, credentialsOf(server)[role])).cookie;

/** The cookie of a person of the provider. */
async function enterAs(role: 'reader' | 'operator'): Promise<string> {
  provider.person = { email: `${role}@acme.example`, email_verified: true, groups: role };
  const browser = new Browser();
  await browser.follow(`${server.url}/console/open-id`);
  return browser.cookiesFor(server.url);
}

const cookies = {
  reader: await enterAs('reader'),
  'operator of the provider': await enterAs('operator'),
  operator: await signIn('operator'),
  owner: await signIn('owner'),
  administrator: await signIn('administrator'),
} satisfies Record<ConsoleRole, string> & Record<string, string>;
type Person = keyof typeof cookies;

type Kind = 'query' | 'mutation';

/** Calls as a page of the console does: those that are made at once share a request. */
function pageFor(cookie: string, apiKey: string) {
  const headers = { ...OWN_PAGE, cookie, 'x-console-api-key': apiKey };
  const url = `${server.url}/console/trpc`;
  const link = httpBatchLink({ url, headers, transformer: superjson, maxItems: 50 });
  const client = createTRPCUntypedClient({ links: [link] });
  const call = (name: string, type: Kind, input: unknown): Promise<Loose> =>
    type === 'mutation' ? client.mutation(name, input) : client.query(name, input);
  return {
    call,
    failureOf: (...args: Parameters<typeof call>) => failureOfCall(call(...args)),
  };
}
const pageOf = (person: Person, apiKey = ownKey) => pageFor(cookies[person], apiKey);

const isForRole = (failure: SeenFailure | undefined) =>
  failure?.status === 'PERMISSION_DENIED' &&
  /^The role \w+ in the console does not allow this\b/.test(failure.message);

type MayCall = (operation: OperationMeta, isRead: boolean) => boolean;

it.each<[Person, MayCall]>([
  ['reader', ({ level, givesSecrets }, isRead) => level !== 'admin' && isRead && !givesSecrets],
  [
    'operator of the provider',
    ({ level, givesSecrets }, isRead) =>
      !givesSecrets && (level === 'apiKey' || (level === 'workspace' && isRead)),
  ],
  [
    'operator',
    ({ level, givesSecrets }, isRead) =>
      level === 'apiKey' || (level === 'workspace' && isRead && !givesSecrets),
  ],
  ['owner', ({ level }) => level !== 'admin'],
  ['administrator', () => true],
])('the role of the %s allows its own operations, and refuses all others', async (person, may) => {
  const page = pageOf(person);
  const refused = operations.map(async ({ name, procedure }) => {
    // Input that no operation takes, so that nothing is changed by those who may.
    const failure = await page.failureOf(name, procedure._def.type as Kind, 'no input');
    return isForRole(failure) ? [name] : [];
  });
  const others = operations.filter(
    ({ meta, procedure }) => !may(meta, procedure._def.type === 'query'),
  );
  expect((await Promise.all(refused)).flat()).toEqual(others.map(({ name }) => name));
});

it('the operations that give tokens or secrets are marked', () => {
  const giving = operations.filter(({ meta }) => meta.givesSecrets).map(({ name }) => name);
  expect(giving.sort()).toEqual([
    'auth.generateToken',
    'authTokens.get',
    'emailConfig.get',
    'emailConfig.update',
    'webhookConfig.get',
    'webhookConfig.update',
    'webhookEndpoints.secret.get',
    'webhookEndpoints.secret.rotate',
  ]);
});

it('the cookie of a reader shows no secret by any operation', async () => {
  const { authToken, workspaceAuthToken, adminToken } = server.quickstart;
  const { endpointId, secrets: planted } = await plantSecrets();
  const secrets = [authToken, workspaceAuthToken, adminToken, ...planted];
  const reads = operations.filter(({ procedure }) => procedure._def.type === 'query');
  /** The operations whose answers have a secret. */
  const showing = async (person: Person) => {
    const { call } = pageOf(person);
    const answers = reads.flatMap(({ name, meta }) =>
      [meta.example.request, {}, { apiKey: ownKey }, { endpointId }].map(async (input) => {
        const answer = await call(name, 'query', input).catch(String);
        const text = JSON.stringify(answer ?? null);
        return secrets.some((secret) => text.includes(secret)) ? [name] : [];
      }),
    );
    return [...new Set((await Promise.all(answers)).flat())].sort();
  };
  expect(await showing('reader')).toEqual([]);
  // The roles that may see secrets saw them, so the reader could have seen them.
  expect(await showing('administrator')).toEqual([
    'authTokens.get',
    'emailConfig.get',
    'webhookConfig.get',
    'webhookEndpoints.secret.get',
  ]);
});

/** Stores a secret of every kind that an API key has. */
async function plantSecrets(): Promise<{ endpointId: string; secrets: string[] }> {
  const secret = (name: string) => `${name}-${'hidden'.repeat(5)}`;
  const [mail, webhook, model] = [secret('SG.mail'), secret('webhook'), secret('sk-model')];
  const { call } = pageOf('operator');
  const change = (name: string, input: object) => call(name, 'mutation', input);
  await change('emailConfig.update', { emailServiceConfig: { apiKey: mail } });
  await change('webhookConfig.update', { webhookServiceConfig: { authToken: webhook } });
  const aiModelApiKey = [{ provider: 'openai', customerApiKey: model }];
  await change('apiKeyConfig.update', { aiModelApiKey });
  await change('advancedWebhookConfig.update', { isEnabled: true });
  const { id } = await change('webhookEndpoints.create', { url: 'https://hooks.example/in' });
  const named = { endpointId: id };
  const answer = await call('webhookEndpoints.secret.get', 'query', named);
  return { ...named, secrets: [mail, webhook, model, answer.secret] };
}

describe('ids of others', () => {
  const read = (person: Person, apiKey: string) =>
    pageOf(person, apiKey).failureOf('console.keys.list', 'query', {});
  const NONE = {
    http: 404,
    status: 'NOT_FOUND',
    message: 'The API key does not exist.',
  };

  it('look to an operator like ids that do not exist', async () => {
    const answers = [
      await read('operator', sibling),
      await read('operator', foreign),
      await read('operator', 'no-such-key'),
    ];
    for (const answer of answers) expect(answer).toMatchObject(NONE);
    expect(new Set(answers.map((answer) => JSON.stringify(answer?.details))).size).toBe(1);
    // Operations on workspaces are closed to an operator, also for the workspace of the operator's own key.
    expect(await pageOf('operator').failureOf('apiKeys.get', 'query', {})).toMatchObject({
      status: 'FAILED_PRECONDITION',
    });
  });

  it('look to an owner like ids that do not exist', async () => {
    for (const apiKey of [foreign, 'no-such-key']) {
      expect(await read('owner', apiKey), apiKey).toMatchObject(NONE);
    }
    expect(await read('owner', sibling)).toBeUndefined();
    const named = { apiKey: foreign };
    expect(await pageOf('owner').failureOf('authTokens.get', 'query', named)).toMatchObject({
      status: 'NOT_FOUND',
    });
  });

  it('are not in the list of API keys, unless the person has them', async () => {
    const listed = async (person: Person) => {
      const answer = await pageOf(person).call('console.keys.list', 'query', {});
      return answer.keys.map(({ apiKey }: Loose) => apiKey).sort();
    };
    expect(await listed('operator')).toEqual([ownKey]);
    expect(await listed('owner')).toEqual([ownKey, sibling].sort());
    expect(await listed('administrator')).toEqual(
      expect.arrayContaining([ownKey, sibling, foreign]),
    );
  });
});

describe("the console's own operations", () => {
  // Their names are dotted at run time, unlike in the types.
  const procedures = consoleRouter._def.procedures as unknown as Record<string, AnyProcedure>;
  const own = Object.entries(procedures).map(([name, { _def }]): [string, Kind] => [
    name,
    _def.type as Kind,
  ]);
  const statusesOf = async ({ failureOf }: ReturnType<typeof pageFor>) => {
    const failures = await Promise.all(own.map(([name, type]) => failureOf(name, type, {})));
    return failures.map((failure, at) => [own[at]?.[0], failure?.status]);
  };
  const all = (status: string) => own.map(([name]) => [name, status]);

  it('only read, except two that send examples, which readers may not call', async () => {
    const changing = own.filter(([, type]) => type === 'mutation').map(([name]) => name);
    expect(changing).toEqual(['console.emails.sendTest', 'console.webhooks.sendExample']);
    for (const name of changing) {
      const refused = await pageOf('reader').failureOf(name, 'mutation', {});
      expect(isForRole(refused), name).toBe(true);
    }
  });

  it('are for people who are signed in, and find no key of another operator', async () => {
    expect(await statusesOf(pageFor('', ownKey))).toEqual(all('UNAUTHENTICATED'));
    for (const apiKey of [sibling, foreign]) {
      expect(await statusesOf(pageOf('operator', apiKey))).toEqual(all('NOT_FOUND'));
    }
  });
});
