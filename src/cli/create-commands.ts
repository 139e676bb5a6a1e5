import type { Command } from 'commander';
import { HEADERS } from '../api/credentials/headers.ts';
import { createServerClient } from '../client/server.ts';
import { readConfig } from '../config.ts';
import { reasonOf, StartError } from '../platform/start-error.ts';
import { printResult } from './report.ts';
import {
  type KeyOptions,
  keyTargetOf,
  readAdminToken,
  readQuickstart,
  urlOf,
  withKeyOptions,
} from './target.ts';

export function addCreateCommands(program: Command): void {
  const create = program
    .command('create')
    .description('Create a workspace, an API key, or the token of a user');
  create
    .command('workspace')
    .description('Create a workspace with a testing key, as the administrator')
    .requiredOption('--owner-email <address>', 'who owns it')
    .option('--name <name>', 'its name')
    .option('--url <url>', 'the server')
    .option('--json', 'print the result as JSON')
    .action(createWorkspace);
  create
    .command('key')
    .description('Create an API key in a workspace')
    .requiredOption('--owner-email <address>', 'who owns it')
    .option('--name <name>', 'its name', '')
    .option('--production', 'a production key; the workspace must be allowed to have one')
    .option('--workspace <id>', 'the workspace; without it, that of the quickstart')
    .option('--workspace-auth-token <token>', 'its auth token')
    .option('--url <url>', 'the server')
    .option('--json', 'print the result as JSON')
    .action(createKey);
  withKeyOptions(
    create
      .command('token')
      .description('Create a token for a user, valid for 48 hours')
      .requiredOption('--user <id>', 'the user'),
  ).action(createToken);
}

interface WorkspaceOptions {
  ownerEmail: string;
  name?: string;
  url?: string;
  json?: boolean;
}

async function createWorkspace(options: WorkspaceOptions): Promise<void> {
  const config = readConfig();
  const url = urlOf(options.url, config);
  const workspace = await callServer({
    url,
    path: '/v2/workspace/create',
    headers: { [HEADERS.adminToken]: readAdminToken(config) },
    data: { ownerEmail: options.ownerEmail, workspaceName: options.name },
  });
  const credentials = credentialsOf(workspace.id, workspace.authToken);
  const [apiKey = ''] = Object.keys(workspace.apiKeyList);
  const authToken = await authTokenOf(url, credentials, apiKey);
  printResult(
    { workspaceId: workspace.id, workspaceAuthToken: workspace.authToken, apiKey, authToken },
    options,
    `Workspace             ${workspace.id}\nWorkspace auth token  ${workspace.authToken}\nAPI key               ${apiKey}\nAuth token            ${authToken}`,
  );
}

interface NewKeyOptions {
  ownerEmail: string;
  name: string;
  production?: boolean;
  workspace?: string;
  workspaceAuthToken?: string;
  url?: string;
  json?: boolean;
}

async function createKey(options: NewKeyOptions): Promise<void> {
  const config = readConfig();
  const url = urlOf(options.url, config);
  const quickstart = readQuickstart(config);
  const workspace = options.workspace ?? quickstart?.workspaceId;
  const token = options.workspaceAuthToken ?? quickstart?.workspaceAuthToken;
  if (!workspace || !token) {
    throw new StartError('Give --workspace and --workspace-auth-token.');
  }
  const headers = credentialsOf(workspace, token);
  const { apiKey } = await callServer({
    url,
    path: '/v2/workspace/apikey/create',
    headers,
    data: {
      ownerEmail: options.ownerEmail,
      apiKeyName: options.name,
      type: options.production ? 'production' : 'testing',
      createAuthToken: true,
    },
  });
  const authToken = await authTokenOf(url, headers, apiKey);
  printResult({ apiKey, authToken }, options, `API key     ${apiKey}\nAuth token  ${authToken}`);
}

const credentialsOf = (workspaceId: string, token: string): Record<string, string> => ({
  [HEADERS.workspaceId]: workspaceId,
  [HEADERS.workspaceAuthToken]: token,
});

async function authTokenOf(url: string, headers: Record<string, string>, apiKey: string) {
  const path = '/v2/workspace/authtokens/get';
  const { authTokens } = await callServer({ url, path, headers, data: { apiKey } });
  return authTokens[0].token;
}

async function createToken({ user, ...options }: KeyOptions & { user: string }): Promise<void> {
  const client = createServerClient(keyTargetOf(options));
  const created = await client.auth.generateToken({ userId: user });
  printResult(created, options, created.token);
}

interface Call {
  url: string;
  path: string;
  headers: Record<string, string>;
  data: object;
}

/**
 * Calls an operation that needs other credentials than an API key's.
 *
 * @returns `result.data` of the answer
 * @throws StartError with the message of the server, or when there is no server
 */
async function callServer({ url, path, headers, data }: Call) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ data }),
  }).catch((error: unknown) => {
    throw new StartError(`The server at ${url} cannot be reached (${reasonOf(error)}).`);
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer.result.data;
  throw new StartError(answer.error?.message ?? `The server answered ${response.status}.`);
}
