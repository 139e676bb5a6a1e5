import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import type { Config } from '../../config.ts';
import { requireWritable } from '../../platform/data-directory.ts';
import { createLogger } from '../../platform/logging.ts';
import { reasonOf } from '../../platform/start-error.ts';
import { type Finding, fine, problem, warning } from './check.ts';

const GIB = 1_073_741_824;
const MIN_FREE_BYTES = 104_857_600;

/** Checks the free space where DATA_DIR is. */
export async function checkDisk({ dataDir, databaseUrl }: Config): Promise<Finding> {
  const { bavail, bsize } = await statfs(existingParent(dataDir));
  const free = bavail * bsize;
  const message = `${(free / GIB).toFixed(1)} GiB free at ${dataDir}.`;
  const remedy = 'Free some space, or move DATA_DIR to a larger volume.';
  // Without the embedded database, DATA_DIR contains only a few small files, so less space is enough.
  if (free < MIN_FREE_BYTES) return problem(message, remedy);
  if (free < GIB && databaseUrl === undefined) return warning(message, remedy);
  return fine(message);
}

const existingParent = (folder: string): string =>
  existsSync(folder) ? folder : existingParent(path.dirname(folder));

/** @throws StartError when the service could not create the folder of a setting, or write there */
export async function checkFolder(setting: string, folder: string | undefined): Promise<undefined> {
  if (folder !== undefined) requireWritable(setting, existingParent(folder));
}

const CONNECT_TIMEOUT_MS = 3_000;
const PORTS: Record<string, number> = { 'https:': 443, 'http:': 80, 'smtp:': 25, 'smtps:': 465 };

export async function checkRedis({ redisUrl }: Config): Promise<Finding | undefined> {
  if (redisUrl === undefined) return undefined;
  const { connectRedis } = await import('../../platform/redis.ts');
  const redis = connectRedis(redisUrl, { log: createLogger('silent') }, { lazyConnect: true });
  let reason: Error | undefined;
  redis.on('error', (error) => {
    reason = error;
  });
  try {
    await redis.connect();
    const version = /redis_version:(\S+)/.exec(await redis.info('server'))?.[1];
    return fine(`Redis ${version ?? 'of an unknown version'} responds.`);
  } catch (error) {
    const remedy = 'Check REDIS_URL, and that Redis accepts connections from this machine.';
    return problem(`Redis does not respond (${reasonOf(reason ?? error)}).`, remedy);
  } finally {
    redis.disconnect();
  }
}

/** Checks whether the services that the settings name can be reached. */
export async function checkOutbound(config: Config): Promise<Finding[]> {
  const targets: Array<[setting: string, url: string | undefined]> = [
    ['SMTP_URL', config.smtpUrl],
    ['SENDGRID_BASE_URL', config.sendgridBaseUrl],
    ['OPENAI_BASE_URL', config.openaiBaseUrl],
    ['ANTHROPIC_BASE_URL', config.anthropicBaseUrl],
    ['GEMINI_BASE_URL', config.geminiBaseUrl],
    ['S3_ENDPOINT', config.s3?.endpoint],
    ['CONSOLE_OIDC_ISSUER', config.consoleOpenId?.issuer],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', config.otlpEndpoint],
  ];
  const logged = warning('Emails are written to the log.', 'Set SMTP_URL to send them.');
  const mail = config.smtpUrl ? [] : [{ about: 'mail', ...logged }];
  const checked = targets.flatMap(([setting, url]) => (url ? [checkReachable(setting, url)] : []));
  return [...mail, ...(await Promise.all(checked))];
}

async function checkReachable(setting: string, url: string): Promise<Finding> {
  const { protocol, hostname, port } = new URL(url);
  const address = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || PORTS[protocol] || 443,
  };
  const name = `${address.host}:${address.port} (${setting})`;
  try {
    await requireConnection(address);
    return fine(`${name} can be reached.`);
  } catch (error) {
    const remedy = `If you use this service, allow connections to it in the firewall, or set ${setting} to a gateway.`;
    return warning(`${name} cannot be reached (${reasonOf(error)}).`, remedy);
  }
}

async function requireConnection(address: { host: string; port: number }): Promise<void> {
  const socket = connect({ ...address, timeout: CONNECT_TIMEOUT_MS });
  socket.on('timeout', () => socket.destroy(new Error('no response')));
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}
