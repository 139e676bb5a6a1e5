import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { baseUrl } from '../app/listen.ts';
import { type CollaborationClient, createServerClient } from '../client/server.ts';
import { type Config, readConfig } from '../config.ts';
import { QUICKSTART_FILE, type Quickstart } from '../features/workspaces/quickstart.ts';
import { StartError } from '../platform/start-error.ts';

/** Options of commands that call a running server with an API key. */
export interface KeyOptions {
  url?: string;
  apiKey?: string;
  authToken?: string;
}

export type KeyTarget = Required<KeyOptions>;

export const URL_OPTION = 'the URL of the server (default: the URL of the quickstart in DATA_DIR)';

/** Adds the options by which a command finds the server and the API key. */
export const addKeyOptions = (command: Command): Command =>
  command
    .option('--url <url>', URL_OPTION)
    .option('--api-key <key>', 'the API key (default: the API key of the quickstart)')
    .option('--auth-token <token>', 'the auth token of that key');

/** @throws StartError when neither the options nor the quickstart name an API key and its token */
export function keyTargetOf({ url, ...given }: KeyOptions): KeyTarget {
  const config = readConfig();
  const quickstart = readQuickstart(config);
  const apiKey = given.apiKey ?? quickstart?.apiKey;
  // The quickstart has the token of its own key only.
  const ownToken = apiKey === quickstart?.apiKey ? quickstart?.authToken : undefined;
  const authToken = given.authToken ?? ownToken;
  if (apiKey && authToken) return { url: urlOf(url, config), apiKey, authToken };
  if (given.apiKey) throw new StartError('Give the auth token of the API key with --auth-token.');
  throw new StartError(
    `There is no ${QUICKSTART_FILE} in ${config.dataDir}. Start the server first (npm start), or give --url, --api-key and --auth-token.`,
  );
}

/** Creates a client for the server and the API key. @throws StartError like `keyTargetOf` */
export const clientOf = (options: KeyOptions): CollaborationClient =>
  createServerClient(keyTargetOf(options));

/** Yields the ids of all organizations of the key. */
export async function* organizationsOf(client: CollaborationClient): AsyncGenerator<string> {
  for await (const { data } of client.organizations.pages({})) {
    for (const { organizationId } of data) yield organizationId;
  }
}

/** Returns the URL of the server: from the option, the quickstart, or the settings. */
export function urlOf(option: string | undefined, config: Config): string {
  const url = option ?? readQuickstart(config)?.url;
  if (url) return url.replace(/\/$/, '');
  const listensEverywhere = config.host === '0.0.0.0' || config.host === '::';
  return baseUrl(listensEverywhere ? '127.0.0.1' : config.host, config.port);
}

/** Returns the credentials that the first start of a server has stored in DATA_DIR; undefined if there are none. */
export function readQuickstart(config: Config): Quickstart | undefined {
  const text = readDataFile(config, QUICKSTART_FILE);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new StartError(`${path.join(config.dataDir, QUICKSTART_FILE)} is not valid JSON.`);
  }
}

/** Returns the admin token: ADMIN_TOKEN, or the one that was generated in DATA_DIR. */
export function readAdminToken(config: Config): string {
  const token = config.adminToken ?? readDataFile(config, 'admin-token');
  if (token) return token;
  throw new StartError(
    `Set ADMIN_TOKEN to the admin token of the server: there is no file admin-token in ${config.dataDir}.`,
  );
}

/** Returns SECRET_KEY, or the key that was generated in DATA_DIR; undefined if there is neither. */
export const readSecretKey = (config: Config): string | undefined =>
  config.secretKey ?? readDataFile(config, 'secret-key');

function readDataFile({ dataDir }: Config, name: string): string | undefined {
  const file = path.join(dataDir, name);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}
