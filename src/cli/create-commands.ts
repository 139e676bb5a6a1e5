import type { Command } from 'commander';
import { HEADERS } from '../api/credentials/headers.ts';
import { readConfig } from '../config.ts';
import { reasonOf, StartError } from '../platform/start-error.ts';
import { setAction } from './command.ts';
import {
  addKeyOptions,
  clientOf,
  type KeyOptions,
  readAdminToken,
  readQuickstart,
  URL_OPTION,
  urlOf,
} from './target.ts';

export function addCreateCommands(program: Command): void {
  const create = program
    .command('create')
    .description('Create a workspace, an API key, or the token of a user');
  const workspace = create
    .command('workspace')
    .description('Create a workspace with a testing key, as the administrator')
    .requiredOption('--owner-email <address>', 'the email address of its owner')
    .option('--name <name>', 'the name of the workspace')
    .option('--url <url>', URL_OPTION)
    .addHelpText('after', '\nNeeds the ADMIN_TOKEN of the server, unless it is in DATA_DIR.');
  setAction(workspace, createWorkspace);
  const key = create
    .command('key')
    .description('Create an API key in a workspace')
    .requiredOption('--owner-email <address>', 'the email address of its owner')
    .option('--name <name>', 'the name of the key', '')
    .option('--production', 'a production key; the workspace must be allowed to have one')
    .option('--workspace <id>', 'the workspace (default: the workspace of the quickstart)')
    .option('--workspace-auth-token <token>', 'the auth token of the workspace')
    .option('--url <url>', URL_OPTION);
  setAction(key, createKey);
  const token = create
    .command('token')
    .description('Create a token for a user, valid for 48 hours')
    .requiredOption('--user <id>', 'the id of the user');
  setAction(addKeyOptions(token), createToken);
}

interface CreateOptions {
  ownerEmail: string;
  name?: string;
  url?: string;
}

async function createWorkspace({ ownerEmail, name, url }: CreateOptions) {
  const config = readConfig();
  const serverUrl = urlOf(url, config);
  const admin = { [HEADERS.adminToken]: readAdminToken(config) };
  const data = { ownerEmail, workspaceName: name };
  const workspace = await callServer(serverUrl, '/v2/workspace/create', admin, data);
  const { id: workspaceId, authToken: workspaceAuthToken } = workspace;
  const [apiKey = ''] = Object.keys(workspace.apiKeyList);
  const headers = headersOf(workspaceId, workspaceAuthToken);
  const authToken = await readAuthToken(serverUrl, headers, apiKey);
  return {
    result: { workspaceId, workspaceAuthToken, apiKey, authToken },
    text: `Workspace             ${workspaceId}\nWorkspace auth token  ${workspaceAuthToken}\nAPI key               ${apiKey}\nAuth token            ${authToken}`,
  };
}

interface CreateKeyOptions extends CreateOptions {
  production?: boolean;
  workspace?: string;
  workspaceAuthToken?: string;
}

async function createKey({ ownerEmail, name, url, production, ...given }: CreateKeyOptions) {
  const config = readConfig();
  const serverUrl = urlOf(url, config);
  const quickstart = readQuickstart(config);
  const workspace = given.workspace ?? quickstart?.workspaceId;
  // The quickstart has the token of its own workspace only.
  const ownToken =
    workspace === quickstart?.workspaceId ? quickstart?.workspaceAuthToken : undefined;
  const token = given.workspaceAuthToken ?? ownToken;
  if (!workspace || !token) {
    throw new StartError('Give --workspace and --workspace-auth-token.');
  }
  const headers = headersOf(workspace, token);
  const type = production ? 'production' : 'testing';
  const data = { ownerEmail, apiKeyName: name, type, createAuthToken: true };
  const { apiKey } = await callServer(serverUrl, '/v2/workspace/apikey/create', headers, data);
  const authToken = await readAuthToken(serverUrl, headers, apiKey);
  return { result: { apiKey, authToken }, text: `API key     ${apiKey}\nAuth token  ${authToken}` };
}

type Headers = Record<string, string>;

const headersOf = (workspaceId: string, token: string): Headers => ({
  [HEADERS.workspaceId]: workspaceId,
  [HEADERS.workspaceAuthToken]: token,
});

async function readAuthToken(url: string, headers: Headers, apiKey: string): Promise<string> {
  const { authTokens } = await callServer(url, '/v2/workspace/authtokens/get', headers, { apiKey });
  return authTokens[0].token;
}

async function createToken({ user, ...key }: KeyOptions & { user: string }) {
  const created = await clientOf(key).auth.generateToken({ userId: user });
  return { result: created, text: created.token };
}

/**
 * Calls an operation that needs credentials other than an API key's.
 *
 * @returns `result.data` of the response
 * @throws StartError with the message of the server, or when there is no server
 */
async function callServer(url: string, path: string, headers: Headers, data: object) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ data }),
  }).catch((error: unknown) => {
    throw new StartError(`The server at ${url} cannot be reached (${reasonOf(error)}).`);
  });
  const body = await response.json().catch(() => undefined);
  if (response.ok && body?.result) return body.result.data;
  const unreadable = `The response from ${url} (${response.status}) is not from this service.`;
  throw new StartError(body?.error?.message ?? unreadable);
}
