import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { baseUrl } from '../app/listen.ts';
import { type Config, readConfig } from '../config.ts';
import { QUICKSTART_FILE, type Quickstart } from '../features/workspaces/quickstart.ts';
import { StartError } from '../platform/start-error.ts';

/** Options of commands that call a running server with an API key. */
export interface KeyOptions {
  url?: string;
  apiKey?: string;
  authToken?: string;
  json?: boolean;
}

export interface KeyTarget {
  url: string;
  apiKey: string;
  authToken: string;
}

/** Adds the options by which a command finds the server and the API key. */
export const withKeyOptions = (command: Command): Command =>
  command
    .option('--url <url>', 'the server; without it, the one of the quickstart in DATA_DIR')
    .option('--api-key <key>', 'the API key; without it, that of the quickstart')
    .option('--auth-token <token>', 'the auth token of that key')
    .option('--json', 'print the result as JSON');

/** @throws StartError when neither the options nor the quickstart say which key it is */
export function keyTargetOf({ url, apiKey, authToken }: KeyOptions): KeyTarget {
  const config = readConfig();
  const quickstart = readQuickstart(config);
  const [key, token] = [apiKey ?? quickstart?.apiKey, authToken ?? quickstart?.authToken];
  if (key && token) return { url: urlOf(url, config), apiKey: key, authToken: token };
  throw new StartError(
    `There is no ${QUICKSTART_FILE} in ${config.dataDir}. Start the server first (npm start), or give --url, --api-key and --auth-token.`,
  );
}

/** The address of the server: from the option, the quickstart, or the settings. */
export function urlOf(option: string | undefined, config: Config): string {
  const known = option ?? readQuickstart(config)?.url;
  if (known) return known;
  const isEverywhere = config.host === '0.0.0.0' || config.host === '::';
  return baseUrl(isEverywhere ? '127.0.0.1' : config.host, config.port);
}

/** The credentials that the first start of a server kept in DATA_DIR, if it did. */
export function readQuickstart(config: Config): Quickstart | undefined {
  const file = path.join(config.dataDir, QUICKSTART_FILE);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** The administrator's token: ADMIN_TOKEN, or the one that was generated in DATA_DIR. */
export function readAdminToken(config: Config): string {
  if (config.adminToken) return config.adminToken;
  const file = path.join(config.dataDir, 'admin-token');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  throw new StartError(
    `Set ADMIN_TOKEN to that of the server: there is none in ${config.dataDir}.`,
  );
}

/** SECRET_KEY, or the key that was generated in DATA_DIR; undefined where there is neither. */
export function readSecretKey(config: Config): string | undefined {
  const file = path.join(config.dataDir, 'secret-key');
  if (config.secretKey) return config.secretKey;
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}
