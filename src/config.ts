import path from 'node:path';
import { z } from 'zod';
import { databaseUrlProblem, hostUrls } from './platform/database/hosts.ts';
import type { S3Settings } from './platform/files/s3-store.ts';
import { StartError } from './platform/start-error.ts';

/** One network of an `…_ALLOWED_NETWORKS` setting, e.g. `127.0.0.0/8`. */
const cidr = z.union([z.cidrv4(), z.cidrv6()], { error: 'must be networks such as 127.0.0.0/8' });

const commaSeparated = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const list = (defaultText = '') => z.string().default(defaultText).transform(commaSeparated);
const lowerCaseList = (defaultText = '') =>
  z
    .string()
    .default(defaultText)
    .transform((text) => commaSeparated(text.toLowerCase()));

const flag = z.enum(['true', 'false'], 'must be true or false');

function integer(min: number, max: number) {
  const problem = `must be a whole number from ${min} to ${max}`;
  const inRange = z.number().min(min, problem).max(max, problem);
  return z.string().regex(/^\d+$/, problem).transform(Number).pipe(inRange);
}

const url = (...protocols: string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    );

const databaseUrl = z.string().superRefine((text, ctx) => {
  const message = databaseUrlProblem(text);
  if (message !== undefined) ctx.addIssue({ code: 'custom', message });
});
/** Refuses a database name that is not a number, since it would make the Redis client end the process. */
const redisUrl = url('redis:', 'rediss:').refine(
  (text) => !URL.canParse(text) || /^\/?\d*$/.test(new URL(text).pathname),
  'must name a database by its number, such as redis://localhost:6379/0',
);
const httpUrl = url('http:', 'https:').transform((text) => text.replace(/\/$/, ''));

/** Whether requests to this address are encrypted, or stay on this machine. */
function isProtected(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

const secretKey = z
  .string()
  .refine(
    (text) => Buffer.from(text, 'base64').length === 32,
    'must be 32 bytes in base64 (make one with: openssl rand -base64 32)',
  );

/** Parses TRUST_PROXY: `false`, `true`, a number of proxies, or the networks of proxies. */
function trustProxy(text: string, ctx: z.RefinementCtx): boolean | number | string[] {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const networks = z.array(z.union([cidr, z.ipv4(), z.ipv6()])).safeParse(commaSeparated(text));
  if (networks.success && networks.data.length > 0) return networks.data;
  const message = 'must be true, false, the number of proxies, or networks such as 10.0.0.0/8';
  ctx.addIssue({ code: 'custom', message });
  return z.NEVER;
}

const ROLES = ['api', 'realtime', 'worker'] as const;
const ROLES_PROBLEM = `must be one or more of ${ROLES.join(', ')}`;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Matches a media type, a prefix of media types (`image/*`, `application/vnd.*`), or `*` for all. */
const TYPE_PATTERN = /^(?:\*|[\w.+-]+\/(?:[\w.+-]*\*|[\w.+-]+))$/;
const DEFAULT_ATTACHMENT_TYPES =
  'image/*,audio/*,video/*,text/plain,text/csv,text/markdown,application/pdf,application/json,application/zip,application/msword,application/rtf,application/vnd.*';

/** Every setting, in the order of the README's table. */
const Environment = z.object({
  NODE_ENV: z.string().default('development'),
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: integer(0, 65_535).default(3000),
  TRUST_PROXY: z.string().default('false').transform(trustProxy),
  DATABASE_URL: databaseUrl.optional(),
  DIRECT_DATABASE_URL: databaseUrl.optional(),
  READ_DATABASE_URL: databaseUrl
    .refine((url) => hostUrls(url).length === 1, 'must name one host')
    .optional(),
  DATABASE_PREPARED_STATEMENTS: flag.optional(),
  DATABASE_POOL_SIZE: integer(2, 1000).default(10),
  DATA_DIR: z.string().min(1).default('./.data'),
  REDIS_URL: redisUrl.optional(),
  ROLES: list(ROLES.join(',')).pipe(z.array(z.enum(ROLES, ROLES_PROBLEM)).min(1, ROLES_PROBLEM)),
  SECRET_KEY: secretKey.optional(),
  PREVIOUS_SECRET_KEYS: list().pipe(z.array(secretKey)),
  ADMIN_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  METRICS_PORT: integer(1, 65_535).optional(),
  PUBLIC_URL: httpUrl.optional(),
  OUTBOUND_ALLOWED_NETWORKS: list().pipe(z.array(cidr)),
  GATEWAY_ALLOWED_NETWORKS: list().pipe(z.array(cidr)),
  OPENAI_BASE_URL: httpUrl.default('https://api.openai.com/v1'),
  ANTHROPIC_BASE_URL: httpUrl.default('https://api.anthropic.com'),
  GEMINI_BASE_URL: httpUrl.default('https://generativelanguage.googleapis.com/v1beta/openai'),
  AI_CALLS_PER_WORKSPACE: integer(1, 1000).default(8),
  AI_TIMEOUT_SECONDS: integer(1, 60).default(60),
  SMTP_URL: url('smtp:', 'smtps:').optional(),
  MAIL_FROM_DOMAINS: lowerCaseList(),
  SENDGRID_BASE_URL: httpUrl.default('https://api.sendgrid.com'),
  MAX_PRODUCTION_KEYS: integer(0, 1_000_000).default(10),
  RATE_LIMIT_PER_SECOND: integer(0, 1_000_000).default(1000),
  CALLS_IN_FLIGHT_PER_KEY: integer(0, 1000).optional(),
  ITEMS_PER_SECOND: integer(0, 1_000_000_000).default(50_000),
  BYTES_PER_SECOND: integer(0, 10_000_000_000).default(52_428_800),
  DATABASE_MS_PER_SECOND: integer(0, 1_000_000).default(0),
  QUOTA_STORAGE_BYTES: integer(0, Number.MAX_SAFE_INTEGER).default(0),
  QUOTA_MAILS_PER_DAY: integer(0, Number.MAX_SAFE_INTEGER).default(0),
  QUOTA_MODEL_TOKENS_PER_DAY: integer(0, Number.MAX_SAFE_INTEGER).default(0),
  // A single client with an expired token fails dozens of times a minute. It must be told that its
  // token is wrong, and not that it sends too many requests.
  FAILED_CREDENTIALS_PER_MINUTE: integer(0, 1_000_000).default(1000),
  MAX_LIVE_CONNECTIONS_PER_USER: integer(1, 1_000_000).default(2000),
  MAX_LIVE_CONNECTIONS_PER_USER_IN_DOCUMENT: integer(1, 1_000_000).default(1000),
  MAX_LIVE_CONNECTIONS_PER_DOCUMENT: integer(1, 1_000_000).default(2000),
  MAX_LIVE_CONNECTIONS_PER_KEY: integer(1, 1_000_000).default(50_000),
  FILES_DIR: z.string().min(1).optional(),
  S3_ENDPOINT: httpUrl.optional(),
  S3_BUCKET: z.string().optional(),
  S3_REGION: z.string().min(1).default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  ATTACHMENT_LIMIT_BYTES: integer(1, 5_368_709_120).default(104_857_600),
  ATTACHMENT_TYPES: lowerCaseList(DEFAULT_ATTACHMENT_TYPES).pipe(
    z.array(z.string().regex(TYPE_PATTERN, 'must be media types such as image/*')),
  ),
  VELT_HEADERS: flag.default('false'),
  BODY_LIMIT_BYTES: integer(1024, 1_073_741_824).default(5_242_880),
  BODY_MEMORY_BYTES: integer(1024, 1_099_511_627_776).default(268_435_456),
  MAX_CONNECTIONS: integer(1, 10_000_000).default(100_000),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_SERVICE_NAME: z.string().min(1).default('collaboration-backend'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(?:0?\.\d+|[01](?:\.0*)?)$/, 'must be a number from 0 to 1')
    .default('1')
    .transform(Number),
  SHUTDOWN_DELAY_SECONDS: integer(0, 600).default(0),
  EVENT_RETENTION_DAYS: integer(1, 3650).default(30),
  HISTORY_RETENTION_DAYS: integer(0, 3650).default(7),
  CONSOLE_OIDC_ISSUER: httpUrl
    .refine(isProtected, 'must start with https://; http:// is for loopback addresses only')
    .optional(),
  CONSOLE_OIDC_CLIENT_ID: z.string().optional(),
  CONSOLE_OIDC_CLIENT_SECRET: z.string().optional(),
  // A list without entries, such as `,`, is refused: it would let everybody in.
  CONSOLE_OIDC_EMAIL_DOMAINS: z
    .string()
    .transform((text) => commaSeparated(text.toLowerCase()))
    .pipe(z.array(z.string()).min(1, 'must name domains such as example.com'))
    .optional(),
  CONSOLE_OIDC_ROLE_CLAIM: z.string().optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
});

/** The names of all settings. */
export const SETTINGS: readonly string[] = Object.keys(Environment.shape);

/** Returns the names of all environment variables, settings or not. */
export const variableNames = (environment: NodeJS.ProcessEnv = process.env): string[] =>
  Object.keys(environment);

export interface OpenIdSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The domains of the email addresses that may sign in. An empty list allows all domains. */
  emailDomains: string[];
  /** The claim that contains a person's role. Without this setting, everybody is a reader. */
  roleClaim: string | undefined;
}

/**
 * Reads and checks every setting.
 *
 * @throws StartError that lists all problems, without the values of secrets.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  // An empty variable means "not set", as in shells and compose files.
  const variables = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== ''),
  );
  const parsed = Environment.safeParse(variables);
  const invalid = parsed.error?.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`);
  const problems = [
    ...(invalid ?? []),
    ...missingInProduction(variables),
    ...missingFromGroup(variables, OPEN_ID_GROUP, 'CONSOLE_OIDC'),
    ...missingFromGroup(variables, S3_GROUP, 'S3'),
    ...missingDatabaseUrl(variables),
  ];
  if (!parsed.success || problems.length > 0) {
    throw new StartError(`The configuration is not valid:\n  ${problems.join('\n  ')}`);
  }
  return toConfig(parsed.data);
}

export type Config = ReturnType<typeof toConfig>;

const toConfig = (env: z.infer<typeof Environment>) => ({
  production: env.NODE_ENV === 'production',
  host: env.HOST,
  port: env.PORT,
  /** The proxies whose forwarding headers are trusted. */
  trustProxy: env.TRUST_PROXY,
  databaseUrl: env.DATABASE_URL,
  /** The URL of the same database without a pooler, if `databaseUrl` is that of a pooler. */
  directDatabaseUrl: env.DIRECT_DATABASE_URL,
  /** The URL of a streaming replica, from which lists are read. */
  readDatabaseUrl: env.READ_DATABASE_URL,
  // Off by default behind a pooler: only newer poolers support prepared statements, if configured to.
  preparesStatements: env.DATABASE_PREPARED_STATEMENTS
    ? env.DATABASE_PREPARED_STATEMENTS === 'true'
    : env.DIRECT_DATABASE_URL === undefined,
  databasePoolSize: env.DATABASE_POOL_SIZE,
  dataDir: path.resolve(env.DATA_DIR),
  redisUrl: env.REDIS_URL,
  roles: new Set(env.ROLES),
  secretKey: env.SECRET_KEY,
  /** Older keys, which still decrypt and verify. SECRET_KEY encrypts and signs. */
  previousSecretKeys: env.PREVIOUS_SECRET_KEYS,
  adminToken: env.ADMIN_TOKEN,
  /** The token for reading the metrics. */
  metricsToken: env.METRICS_TOKEN,
  /** A separate port for the metrics, which are then served nowhere else. */
  metricsPort: env.METRICS_PORT,
  publicUrl: env.PUBLIC_URL,
  outboundAllowedNetworks: env.OUTBOUND_ALLOWED_NETWORKS,
  gatewayAllowedNetworks: env.GATEWAY_ALLOWED_NETWORKS,
  openaiBaseUrl: env.OPENAI_BASE_URL,
  anthropicBaseUrl: env.ANTHROPIC_BASE_URL,
  geminiBaseUrl: env.GEMINI_BASE_URL,
  /** The most concurrent model calls of a workspace in this process. Further calls wait. */
  aiCallsPerWorkspace: env.AI_CALLS_PER_WORKSPACE,
  aiTimeoutMs: env.AI_TIMEOUT_SECONDS * 1000,
  smtpUrl: env.SMTP_URL,
  /** The domains from which keys may send over SMTP_URL, in addition to the host of PUBLIC_URL. */
  mailFromDomains: env.MAIL_FROM_DOMAINS,
  sendgridBaseUrl: env.SENDGRID_BASE_URL,
  maxProductionKeys: env.MAX_PRODUCTION_KEYS,
  /** For each API key; 0 disables the limit. */
  rateLimitPerSecond: env.RATE_LIMIT_PER_SECOND,
  /** For each API key, in this process; 0 disables a limit. All but the first are per second. */
  workLimits: {
    // The default is the number of connections that one key may use.
    callsInFlight: env.CALLS_IN_FLIGHT_PER_KEY ?? Math.ceil(env.DATABASE_POOL_SIZE / 2),
    items: env.ITEMS_PER_SECOND,
    bytes: env.BYTES_PER_SECOND,
    databaseMs: env.DATABASE_MS_PER_SECOND,
  },
  /** For each API key without quotas of its own; 0 disables a quota. */
  quotas: {
    storageBytes: env.QUOTA_STORAGE_BYTES,
    mailsPerDay: env.QUOTA_MAILS_PER_DAY,
    modelTokensPerDay: env.QUOTA_MODEL_TOKENS_PER_DAY,
  },
  /** For one address and one key, in this process; 0 disables the limit. */
  failedCredentialsPerMinute: env.FAILED_CREDENTIALS_PER_MINUTE,
  /** Connections to documents, in this process. */
  maxLiveConnections: {
    user: env.MAX_LIVE_CONNECTIONS_PER_USER,
    userInDocument: env.MAX_LIVE_CONNECTIONS_PER_USER_IN_DOCUMENT,
    document: env.MAX_LIVE_CONNECTIONS_PER_DOCUMENT,
    key: env.MAX_LIVE_CONNECTIONS_PER_KEY,
  },
  /** The folder of attachments, unless `s3` stores them. Undefined if processes share no folder. */
  filesDir: filesDirOf(env),
  s3: s3Settings(env),
  attachmentLimitBytes: env.ATTACHMENT_LIMIT_BYTES,
  /** Media types that may be attached. A type that ends in `*` is a prefix of the allowed types. */
  attachmentTypes: env.ATTACHMENT_TYPES,
  /** Whether credentials are also read from headers with the names of Velt's hosted service. */
  veltHeaders: env.VELT_HEADERS === 'true',
  bodyLimitBytes: env.BODY_LIMIT_BYTES,
  /** The memory for all bodies that are being received. */
  bodyMemoryBytes: env.BODY_MEMORY_BYTES,
  maxConnections: env.MAX_CONNECTIONS,
  /** The URL to which traces are sent. Without it, none are recorded. */
  otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
  otelServiceName: env.OTEL_SERVICE_NAME,
  /** The share of traces that are recorded, from 0 to 1. */
  otelTraceRatio: env.OTEL_TRACES_SAMPLER_ARG,
  /** How long the process keeps serving after the stop signal, while `/readyz` responds with 503. */
  shutdownDelayMs: env.SHUTDOWN_DELAY_SECONDS * 1000,
  /** How long events, deliveries and attempts are stored. */
  eventRetentionDays: env.EVENT_RETENTION_DAYS,
  /** The least number of past days from which live content can be restored; 0 keeps no history. */
  historyRetentionDays: env.HISTORY_RETENTION_DAYS,
  /** The provider that signs people in to the console. */
  consoleOpenId: openIdSettings(env),
  logLevel: env.LOG_LEVEL,
});

const OPEN_ID_GROUP = [
  'CONSOLE_OIDC_ISSUER',
  'CONSOLE_OIDC_CLIENT_ID',
  'CONSOLE_OIDC_CLIENT_SECRET',
];

function openIdSettings(env: z.infer<typeof Environment>): OpenIdSettings | undefined {
  const {
    CONSOLE_OIDC_ISSUER: issuer,
    CONSOLE_OIDC_CLIENT_ID: clientId,
    CONSOLE_OIDC_CLIENT_SECRET: clientSecret,
  } = env;
  if (!issuer || !clientId || !clientSecret) return undefined;
  return {
    issuer,
    clientId,
    clientSecret,
    emailDomains: env.CONSOLE_OIDC_EMAIL_DOMAINS ?? [],
    roleClaim: env.CONSOLE_OIDC_ROLE_CLAIM,
  };
}

/** Returns a problem for each missing setting, if some settings of a group are set and others are not. */
function missingFromGroup(variables: NodeJS.ProcessEnv, group: string[], name: string): string[] {
  const missing = group.filter((setting) => variables[setting] === undefined);
  if (missing.length === group.length) return [];
  return missing.map((setting) => `${setting}: is required with the other ${name} settings`);
}

const S3_GROUP = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];

function s3Settings(env: z.infer<typeof Environment>): S3Settings | undefined {
  const {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_REGION: region,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = env;
  if (!endpoint || !bucket || !accessKeyId || !secretAccessKey) return undefined;
  return { endpoint, bucket, region, accessKeyId, secretAccessKey };
}

/** Without REDIS_URL there is only one process, so its own DATA_DIR can store the files. */
function filesDirOf(env: z.infer<typeof Environment>): string | undefined {
  if (env.FILES_DIR !== undefined) return path.resolve(env.FILES_DIR);
  return env.REDIS_URL === undefined ? path.resolve(env.DATA_DIR, 'files') : undefined;
}

/** The problems of settings that are useless without DATABASE_URL. */
const NEED_DATABASE_URL = {
  DIRECT_DATABASE_URL: 'needs DATABASE_URL, the URL of the same database through a pooler',
  READ_DATABASE_URL: 'needs DATABASE_URL, the URL of the primary that it replicates',
};

function missingDatabaseUrl(variables: NodeJS.ProcessEnv): string[] {
  if (variables.DATABASE_URL !== undefined) return [];
  return Object.entries(NEED_DATABASE_URL)
    .filter(([name]) => variables[name] !== undefined)
    .map(([name, problem]) => `${name}: ${problem}`);
}

function missingInProduction(variables: NodeJS.ProcessEnv): string[] {
  if (variables.NODE_ENV !== 'production') return [];
  return ['SECRET_KEY', 'ADMIN_TOKEN']
    .filter((name) => variables[name] === undefined)
    .map((name) => `${name}: is required when NODE_ENV=production`);
}
