import type { AnyProcedure } from '@trpc/server';
import { describe, expect, it } from 'vitest';
import { CONSOLE_ROLES, type ConsoleRole } from '../../src/api/credentials/signed-in.ts';
import { consoleRouter } from '../../src/console/operations/router.ts';
import type { Loose } from '../support/answers.ts';
import {
  callConsole,
  consoleFailure,
  credentialsOf,
  signedInAs,
  signInTo,
} from '../support/console.ts';
import { Browser, startOpenIdProvider } from '../support/open-id-provider.ts';
import { eachOperation, operationOf, operations, type SeenFailure } from '../support/operations.ts';
import { createTenant, startTestServer } from '../support/server.ts';
import { createWorkspaceKey } from '../support/workspaces.ts';

const cookies = {} as Record<ConsoleRole, string>;
const provider = await startOpenIdProvider();
const server = await startTestServer({
  ...provider.environment,
  CONSOLE_OIDC_ROLE_CLAIM: 'groups',
});
for (const role of ['administrator', 'owner', 'operator'] as const) {
  cookies[role] = (await signInTo(server.url, credentialsOf(server)[role])).cookie;
}
cookies.reader = await enterAs('reader');
/** Another key of the workspace, and a key of another workspace. */
const sibling = (await createTenant(server))['x-svc-api-key'] ?? '';
const foreign = (await createWorkspaceKey(server))['x-svc-api-key'] ?? '';

/** The cookie of a person of the provider. */
async function enterAs(role: 'reader' | 'operator'): Promise<string> {
  provider.person = { email: `${role}@acme.example`, email_verified: true, groups: role };
  const browser = new Browser();
  await browser.follow(`${server.url}/console/open-id`);
  return browser.cookiesFor(server.url);
}

const callAs = (role: ConsoleRole, apiKey: string | undefined = server.quickstart.apiKey) => ({
  url: server.url,
  cookie: cookies[role],
  apiKey,
});

const OF_ROLE = /^The role \w+ in the console does not allow this\b/;
const isForRole = (failure: SeenFailure | undefined) =>
  failure?.status === 'PERMISSION_DENIED' && OF_ROLE.test(failure.message);

describe.each(eachOperation)('$name', ({ name, operation }) => {
  const { meta, procedure } = operation;
  const { type } = procedure._def;
  const isRead = type === 'query' && !meta.givesSecrets;
  /** Input that no operation takes, so that nothing is changed by those who may. */
  const ask = (role: ConsoleRole) =>
    consoleFailure(callAs(role), name, type as 'query' | 'mutation', 'no input');

  it('refuses the roles that may not, and only those', async () => {
    const admitted: Record<ConsoleRole, boolean> = {
      reader: meta.level !== 'admin' && isRead,
      operator: meta.level === 'apiKey' || (meta.level === 'workspace' && isRead),
      owner: meta.level !== 'admin',
      administrator: true,
    };
    for (const role of CONSOLE_ROLES) {
      expect(isForRole(await ask(role)), role).toBe(!admitted[role]);
    }
  });
});

describe('the cookie of a reader', () => {
  it('shows no secret by any operation', async () => {
    const { authToken, workspaceAuthToken, adminToken } = server.quickstart;
    const { endpointId, secrets: planted } = await plantSecrets();
    const secrets = [authToken, workspaceAuthToken, adminToken, ...planted];
    const reads = operations.filter(({ procedure }) => procedure._def.type === 'query');
    const seen: string[] = [];
    const shown = new Set<string>();
    for (const { name, meta } of reads) {
      for (const role of ['reader', 'administrator'] as const) {
        const { apiKey } = server.quickstart;
        const inputs = [meta.example.request, {}, { apiKey }, { endpointId }];
        for (const input of inputs) {
          const answer = JSON.stringify(await answerOf(role, name, input));
          if (!secrets.some((secret) => answer.includes(secret))) continue;
          if (role === 'reader') seen.push(name);
          else shown.add(name);
        }
      }
    }
    expect(seen).toEqual([]);
    // The roles that may see secrets saw them, so the reader could have seen them.
    expect([...shown].sort()).toEqual([
      'authTokens.get',
      'emailConfig.get',
      'webhookConfig.get',
      'webhookEndpoints.secret.get',
    ]);
  });

  const answerOf = async (role: ConsoleRole, name: string, input: unknown) => {
    try {
      return (await callConsole(callAs(role), name, 'query', input)) ?? null;
    } catch (error) {
      return String(error);
    }
  };
});

describe('an operator of a provider', () => {
  /** Operations at the level of an API key that give tokens and secrets. */
  const giving = [
    ['auth.generateToken', { userId: 'ada' }],
    ['emailConfig.get', {}],
    ['emailConfig.update', {}],
    ['webhookConfig.get', {}],
    ['webhookConfig.update', {}],
    ['webhookEndpoints.secret.get', { endpointId: 'x' }],
    ['webhookEndpoints.secret.rotate', { endpointId: 'x' }],
  ] as const;
  const typeOf = (name: string) => operationOf(name).procedure._def.type as 'query' | 'mutation';

  it('gets no tokens and secrets, unlike a person who signed in with the token of the key', async () => {
    const person = { ...callAs('operator'), cookie: await enterAs('operator') };
    expect(await signedInAs(server.url, person.cookie)).toMatchObject({ role: 'operator' });
    for (const [name, input] of giving) {
      expect(isForRole(await consoleFailure(person, name, typeOf(name), input)), name).toBe(true);
      const own = await consoleFailure(callAs('operator'), name, typeOf(name), input);
      expect(isForRole(own), name).toBe(false);
    }
    const written = { organizationId: 'acme', users: [{ userId: 'grace' }] };
    expect(await consoleFailure(person, 'users.add', 'mutation', written)).toBeUndefined();
    expect(await consoleFailure(person, 'events.get', 'query', {})).toBeUndefined();
  });
});

/** Stores a secret of every kind that an API key has. */
async function plantSecrets(): Promise<{ endpointId: string; secrets: string[] }> {
  const secret = (name: string) => `${name}-${'hidden'.repeat(5)}`;
  const [mail, webhook, model] = [secret('SG.mail'), secret('webhook'), secret('sk-model')];
  const change = (name: string, input: object) =>
    callConsole(callAs('operator'), name, 'mutation', input);
  await change('emailConfig.update', { emailServiceConfig: { apiKey: mail } });
  await change('webhookConfig.update', { webhookServiceConfig: { authToken: webhook } });
  const aiModelApiKey = [{ provider: 'openai', customerApiKey: model }];
  await change('apiKeyConfig.update', { aiModelApiKey });
  await change('advancedWebhookConfig.update', { isEnabled: true });
  const url = 'https://hooks.example/in';
  const made = await change('webhookEndpoints.create', { url });
  const named = { endpointId: made.id };
  const call = callAs('operator');
  const answer = await callConsole(call, 'webhookEndpoints.secret.get', 'query', named);
  return { ...named, secrets: [mail, webhook, model, answer.secret] };
}

describe('ids of others', () => {
  const read = (role: ConsoleRole, apiKey: string) =>
    consoleFailure(callAs(role, apiKey), 'console.keys.list', 'query', {});
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
    expect(await consoleFailure(callAs('operator'), 'apiKeys.get', 'query', {})).toMatchObject({
      status: 'FAILED_PRECONDITION',
    });
  });

  it('look to an owner like ids that do not exist', async () => {
    for (const apiKey of [foreign, 'no-such-key']) {
      expect(await read('owner', apiKey), apiKey).toMatchObject(NONE);
    }
    expect(await read('owner', sibling)).toBeUndefined();
    const named = { apiKey: foreign };
    expect(await consoleFailure(callAs('owner'), 'authTokens.get', 'query', named)).toMatchObject({
      status: 'NOT_FOUND',
    });
  });

  it('are not in the list of API keys, unless the person has them', async () => {
    const listed = async (role: ConsoleRole) => {
      const call = { url: server.url, cookie: cookies[role] };
      const answer = await callConsole(call, 'console.keys.list', 'query', {});
      return answer.keys.map(({ apiKey }: Loose) => apiKey).sort();
    };
    const { apiKey } = server.quickstart;
    expect(await listed('operator')).toEqual([apiKey]);
    expect(await listed('owner')).toEqual([apiKey, sibling].sort());
    expect(await listed('administrator')).toEqual(
      expect.arrayContaining([apiKey, sibling, foreign]),
    );
  });
});

describe("the console's own operations", () => {
  // Their names are dotted at run time, unlike in the types.
  const procedures = consoleRouter._def.procedures as unknown as Record<string, AnyProcedure>;
  const own = Object.entries(procedures).map(([name, { _def }]) => ({
    name,
    type: _def.type as 'query' | 'mutation',
  }));

  it('only read, except two that send examples, which readers may not call', async () => {
    const changing = own.filter(({ type }) => type === 'mutation').map(({ name }) => name);
    expect(changing).toEqual(['console.emails.sendTest', 'console.webhooks.sendExample']);
    for (const name of changing) {
      const refused = await consoleFailure(callAs('reader'), name, 'mutation', {});
      expect(isForRole(refused), name).toBe(true);
    }
  });

  it.each(own)('$name is for people who are signed in', async ({ name, type }) => {
    const nobody = { url: server.url, cookie: '', apiKey: server.quickstart.apiKey };
    expect(await consoleFailure(nobody, name, type, {})).toMatchObject({
      http: 401,
      status: 'UNAUTHENTICATED',
    });
  });

  it.each(own)('$name finds no key of another operator', async ({ name, type }) => {
    for (const apiKey of [sibling, foreign]) {
      expect(await consoleFailure(callAs('operator', apiKey), name, type, {})).toMatchObject({
        status: 'NOT_FOUND',
      });
    }
  });
});
