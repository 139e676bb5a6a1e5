import { checkJudgments } from '../../src/features/memory/alerts/check-judgments.ts';
import { sql } from '../../src/platform/database/database.ts';
import { userHeaders } from './annotations.ts';
import { dataOf } from './answers.ts';
import { attachmentsOf } from './attachments.ts';
import { eventually } from './eventually.ts';
import { headersFor, operationOf } from './operations.ts';
import { createTenant, type TestServer } from './server.ts';

/** An id or a time of an example, and what stands for it on a real server. */
type Replacements = Record<string, string>;

const ORGANIZATION = { organizationId: 'acme' };
const PLACE = { ...ORGANIZATION, documentId: 'launch-plan' };
/** The ids of the examples that only a server can make. */
const WORKSPACE = '8sKzR7Wd4fTq8bV1nXcL';
const OTHER_KEY = 'kJ3v9QmT2xLw8RbN5sYd';
const ENDPOINT = '2mSx9LqKd0Tg5Wv8ZbYc';
const DELIVERY = '2mSx9LqKd0Tg5Wv8ZbYc.mk0x1c0w.4fTq8bV1nXcL0sKzR7Wd';
const ALERT = '4fTq8bV1nXcL0sKzR7Wd';
const VERSION = 'k2VnT0aPz5QrUeX81LmB';
/** A file that was uploaded to the document of the examples. */
const ATTACHMENT = '3pQ8rTzW1xY5cVbN7mKd';
const JOB = 'cV3xk1mGq8TzW5bYp0Ra';

/** Replaces the ids and times of an example by real ones. */
export const withReal = (text: string, replacements: Replacements = {}): string =>
  Object.entries(replacements).reduce((made, [id, real]) => made.replaceAll(id, real), text);

type Prepare = (server: TestServer) => Promise<Replacements>;

/** Makes what an operation's example presupposes, and no earlier example makes. */
export const PREPARATIONS: Record<string, Prepare> = {
  'workspaces.update': async ({ quickstart }) => ({ [WORKSPACE]: quickstart.workspaceId }),
  'apiKeys.update': otherKey,
  'quotas.get': otherKey,
  'quotas.update': otherKey,
  'authTokens.get': otherKey,
  'authTokens.reset': otherKey,
  'folders.update': async (server) => {
    const folders = [{ folderId: 'legal' }];
    await server.ok('/v2/organizations/folders/add', { ...ORGANIZATION, folders });
    return {};
  },
  'crdt.replaceRange': async (server) => {
    const body = { ...PLACE, editorId: 'body', type: 'text', data: 'We launch in May.' };
    await server.ok('/v2/crdt/update', body);
    return {};
  },
  'suggestions.add': async (server) => {
    await withoutSuggestion(server);
    return {};
  },
  'suggestions.accept': suggestion,
  'suggestions.reject': suggestion,
  'crdt.versions.restore': async (server) => {
    const body = { ...PLACE, editorId: 'body' };
    const [version] = await server.ok('/v2/crdt/versions/list', body);
    return { [VERSION]: version.versionId };
  },
  'attachments.complete': attachment,
  'attachments.get': attachment,
  'attachments.delete': attachment,
  'commentAnnotations.add': async (server) => {
    const users = [{ userId: 'grace', name: 'Grace Hopper' }];
    await server.ok('/v1/users/add', { ...ORGANIZATION, users });
    return {};
  },
  'memory.alerts.dismiss': async (server) => {
    const judgments = Array.from({ length: 8 }, (_, n) => ({
      query: 'Work from abroad for a month',
      decision: n < 4 ? 'approved' : 'rejected',
      reviewer: { userId: `reviewer-${n % 4}` },
      createdAt: Date.now() - 86_400_000 - n,
    }));
    await server.ok('/v2/memory/judgments/add', { judgments });
    // The server may have checked the key's earlier judgments already, and is due again in a day.
    await server.app.services.db.query(
      sql`UPDATE memory_watches SET due_ms = 0 WHERE tenant_id = ${server.quickstart.apiKey}`,
    );
    await checkJudgments(server.app.services);
    const { body } = await server.call('/v2/memory/alerts/list', {});
    return { [ALERT]: body.result[0].id };
  },
  'memory.suggest': async (server) => {
    const judgments = ['ada', 'grace', 'eve', 'bob', 'liu'].map((userId) => ({
      ...{ query: 'Discount of 10 percent for a renewal', decision: 'approved' },
      ...{ ...ORGANIZATION, reviewer: { userId } },
    }));
    await server.ok('/v2/memory/judgments/add', { judgments });
    return {};
  },
  'organizations.transferStatus': async (server) => {
    const started = await server.call('/v2/organizations/export', ORGANIZATION);
    return { [JOB]: dataOf(started).jobId };
  },
  'userData.deleteStatus': async (server) => {
    const started = await server.call('/v2/users/data/delete', { userIds: ['nobody'] });
    return { [JOB]: dataOf(started).jobId };
  },
  'webhookEndpoints.update': endpoint,
  'webhookEndpoints.secret.get': endpoint,
  'webhookEndpoints.secret.rotate': endpoint,
  'webhookEndpoints.delete': endpoint,
  'webhookEndpoints.recover': enabledEndpoint,
  'webhookDeliveries.get': endpoint,
  'webhookDeliveries.resend': async (server) => {
    const { [ENDPOINT]: endpointId } = await enabledEndpoint(server);
    const commentData = [{ from: { userId: 'ada' }, commentText: 'Deliver this.' }];
    const comment = { ...PLACE, annotationId: 'headline', commentData };
    await server.ok('/v2/commentannotations/comments/add', comment);
    return eventually(async () => {
      const path = '/v2/workspace/advancedwebhook/deliveries/get';
      const { deliveries } = await server.ok(path, { endpointId });
      return { [DELIVERY]: deliveries[0].id };
    });
  },
};

/** The request of an operation's example to a server that has what it presupposes. */
export async function preparedExample(server: TestServer, name: string) {
  const operation = operationOf(name);
  const { path, example, userToken } = operation.meta;
  const replacements = await PREPARATIONS[name]?.(server);
  const request = JSON.parse(withReal(JSON.stringify(example.request), replacements));
  // The time of the example is too long ago.
  if ('since' in request) request.since = Date.now();
  const byUser = userToken === 'only' && (await userHeaders(server, 'ada', []));
  return { path, request, headers: byUser || headersFor(server, operation) };
}

/** Acts that make a subscription of Ada's to the document of the examples send an item. */
export const CHANGES: Record<string, [path: string, data: object]> = {
  'comments.changes': [
    '/v2/commentannotations/add',
    {
      ...PLACE,
      commentAnnotations: [{ commentData: [{ from: { userId: 'ada' }, commentText: 'Seen?' }] }],
    },
  ],
  'presence.changes': [
    '/v2/presence/add',
    { ...PLACE, users: [{ userId: 'grace', status: 'away' }] },
  ],
  'notifications.changes': [
    '/v2/notifications/add',
    {
      ...PLACE,
      actionUser: { userId: 'grace' },
      notifyUsers: [{ userId: 'ada' }],
      displayHeadlineMessageTemplate: 'Seen?',
      displayBodyMessage: 'Seen?',
    },
  ],
};

/** The text of the examples, and no annotation with the id of the suggested edit. */
async function withoutSuggestion(server: TestServer): Promise<void> {
  const body = { ...PLACE, editorId: 'body', type: 'text', data: 'We launch in May.' };
  await server.ok('/v2/crdt/update', body);
  const filters = { ...PLACE, annotationIds: ['later-launch'] };
  await server.ok('/v2/commentannotations/delete', filters);
}

async function suggestion(server: TestServer): Promise<Replacements> {
  await withoutSuggestion(server);
  const suggested = { quote: 'in May', replacement: 'in June', from: { userId: 'ada' } };
  const suggestions = [{ annotationId: 'later-launch', ...suggested }];
  const input = { ...PLACE, editorId: 'body', suggestions };
  await server.ok('/v2/suggestions/add', input);
  return {};
}

async function attachment(server: TestServer): Promise<Replacements> {
  const { attachmentId } = await attachmentsOf(server).upload(PLACE);
  return { [ATTACHMENT]: attachmentId };
}

async function otherKey(server: TestServer): Promise<Replacements> {
  const headers = await createTenant(server);
  return { [OTHER_KEY]: headers['x-svc-api-key'] ?? '' };
}

async function endpoint(server: TestServer): Promise<Replacements> {
  const path = '/v2/workspace/advancedwebhook/endpoints/get';
  const { endpoints } = await server.ok(path, { limit: 1 });
  return { [ENDPOINT]: endpoints[0].id };
}

async function enabledEndpoint(server: TestServer): Promise<Replacements> {
  const replacements = await endpoint(server);
  const data = { endpointId: replacements[ENDPOINT], disabled: false };
  await server.ok('/v2/workspace/advancedwebhook/endpoints/update', data);
  return replacements;
}

/** The order in which the examples succeed one after the other: what is deleted must exist. */
export const inOrder = (names: string[]): string[] =>
  names.toSorted((one, other) => rankOf(one) - rankOf(other));

const FIRST = [
  'organizations.add',
  'folders.add',
  'documents.add',
  'users.add',
  'commentAnnotations.add',
  'comments.add',
  'advancedWebhookConfig.update',
  'webhookEndpoints.create',
];
const LAST = [
  'auth.revokeTokens',
  'webhookEndpoints.delete',
  'reactions.delete',
  'comments.delete',
  'commentAnnotations.delete',
  'crdt.delete',
  'userGroups.deleteUsers',
  'userGroups.delete',
  'documents.delete',
  'folders.delete',
  'users.delete',
  'userData.delete',
  'organizations.delete',
  'authTokens.reset',
  'workspaces.resetToken',
];

function rankOf(name: string): number {
  if (FIRST.includes(name)) return FIRST.indexOf(name) - FIRST.length;
  return LAST.indexOf(name) + 1;
}
