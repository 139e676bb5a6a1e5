import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const production = { NODE_ENV: 'production', SECRET_KEY: KEY, ADMIN_TOKEN: 'a'.repeat(32) };

function problemsOf(environment: Record<string, string>): string {
  try {
    readConfig(environment);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('configuration', () => {
  it('has the documented defaults', () => {
    expect(readConfig({})).toMatchObject({
      ...{ host: '127.0.0.1', port: 3000, databaseUrl: undefined, redisUrl: undefined },
      ...{ roles: new Set(['api', 'realtime', 'worker']), outboundAllowedNetworks: [] },
      ...{ maxProductionKeys: 10, rateLimitPerSecond: 1000, bodyLimitBytes: 5_242_880 },
      // Wrong credentials are PERMISSION_DENIED at each of more than a hundred operations.
      failedCredentialsPerMinute: 1000,
      ...{ eventRetentionDays: 30, historyRetentionDays: 7 },
      ...{ workLimits: { callsInFlight: 5 }, preparesStatements: true },
    });
    const pooler = { DATABASE_URL: 'postgresql://pooler/name' };
    const behindPooler = { ...pooler, DIRECT_DATABASE_URL: 'postgresql://one/name' };
    expect(readConfig(behindPooler).preparesStatements).toBe(false);
  });

  it('reports every problem together', () => {
    const problems = problemsOf({
      NODE_ENV: 'production',
      PORT: '70000',
      DATABASE_URL: 'mysql://somewhere',
      ROLES: 'api,cook',
      OUTBOUND_ALLOWED_NETWORKS: '10.0.0.0/99',
    });
    const wrong = ['PORT', 'DATABASE_URL', 'ROLES', 'OUTBOUND_ALLOWED_NETWORKS'];
    for (const name of [...wrong, 'SECRET_KEY', 'ADMIN_TOKEN']) {
      expect(problems).toContain(`${name}: `);
    }
  });

  it('says what each setting may be', () => {
    const problems = problemsOf({
      DATABASE_POOL_SIZE: '1',
      AI_TIMEOUT_SECONDS: '61',
      ROLES: ',',
      LOG_LEVEL: 'verbose',
    });
    expect(problems).toContain('DATABASE_POOL_SIZE: must be a whole number from 2 to 1000');
    expect(problems).toContain('AI_TIMEOUT_SECONDS: must be a whole number from 1 to 60');
    expect(problems).toContain('ROLES: must be one or more of api, realtime, worker');
    expect(problems).toContain('LOG_LEVEL: must be one of fatal, error, warn');
  });

  it('never repeats a secret in a problem', () => {
    const secrets = { SECRET_KEY: 'not-so-secret', ADMIN_TOKEN: 'short', SMTP_URL: 'pass:word' };
    const problems = problemsOf(secrets);
    for (const [name, secret] of Object.entries(secrets)) {
      expect(problems).toContain(`${name}: `);
      expect(problems).not.toContain(secret);
    }
  });

  it('keeps attachments in a bucket, or in a folder that all processes reach', () => {
    const { filesDir } = readConfig({ DATA_DIR: '/data' });
    expect(filesDir).toBe('/data/files');
    const several = { REDIS_URL: 'redis://localhost' };
    expect(readConfig(several)).toMatchObject({ filesDir: undefined, s3: undefined });
    expect(readConfig({ ...several, FILES_DIR: '/shared' }).filesDir).toBe('/shared');
    const bucket = { S3_ENDPOINT: 'https://s3.example.com/', S3_BUCKET: 'files' };
    const credentials = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'hidden' };
    expect(readConfig({ ...bucket, ...credentials }).s3).toEqual({
      ...{ endpoint: 'https://s3.example.com', bucket: 'files', region: 'us-east-1' },
      ...{ accessKeyId: 'id', secretAccessKey: 'hidden' },
    });
    const problems = problemsOf({ ...credentials, S3_BUCKET: 'files' });
    expect(problems).toContain('S3_ENDPOINT: is required with the other S3 settings');
    expect(problems).not.toContain('hidden');
  });

  it.each(['x', 'image/*/png', 'image/png; charset=utf-8', '*/*'])(
    'takes no %j for a media type',
    (type) => {
      const problems = problemsOf({ ATTACHMENT_TYPES: `text/plain,${type}` });
      expect(problems).toContain('ATTACHMENT_TYPES: must be media types');
    },
  );

  it('treats an empty variable as unset', () => {
    expect(readConfig({ PORT: '', REDIS_URL: '' })).toMatchObject({ port: 3000 });
  });

  it('requires SECRET_KEY and ADMIN_TOKEN in production', () => {
    expect(problemsOf({ ...production, SECRET_KEY: '' })).toMatch(/SECRET_KEY: is required/);
    expect(problemsOf({ ...production, ADMIN_TOKEN: '' })).toMatch(/ADMIN_TOKEN: is required/);
    expect(readConfig(production).production).toBe(true);
  });

  it.each(['DIRECT_DATABASE_URL', 'READ_DATABASE_URL'])(
    'refuses %s without DATABASE_URL',
    (name) => {
      const database = { DATABASE_URL: 'postgresql://one/name' };
      const beside = { [name]: 'postgresql://two/name' };
      expect(problemsOf(beside)).toContain(`${name}: needs DATABASE_URL`);
      expect(problemsOf({ ...database, ...beside })).toBe('');
    },
  );

  it('takes a provider of OpenID Connect without TLS on this machine alone', () => {
    const others = { CONSOLE_OIDC_CLIENT_ID: 'console', CONSOLE_OIDC_CLIENT_SECRET: 'hidden' };
    const problemOf = (issuer: string) => problemsOf({ ...others, CONSOLE_OIDC_ISSUER: issuer });
    for (const host of ['login.example.com', '10.0.0.7:8080', 'localhost.example.com', '0.0.0.0']) {
      expect(problemOf(`http://${host}`), host).toContain('CONSOLE_OIDC_ISSUER: must');
      expect(problemOf(`https://${host}`), host).toBe('');
    }
    for (const host of ['localhost:8080', '127.0.0.1', '[::1]:8080']) {
      expect(problemOf(`http://${host}`), host).toBe('');
    }
  });

  it('takes one replica', () => {
    const database = { DATABASE_URL: 'postgresql://one/name' };
    const problems = problemsOf({ ...database, READ_DATABASE_URL: 'postgresql://two,three/name' });
    expect(problems).toContain('READ_DATABASE_URL: must name one host');
  });

  it.each([
    ['', false],
    ['false', false],
    ['true', true],
    ['2', 2],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
  ])('reads TRUST_PROXY=%s', (text, trustProxy) => {
    expect(readConfig({ TRUST_PROXY: text })).toMatchObject({ trustProxy });
  });

  it.each([
    ['SECRET_KEY', 'c2hvcnQ='],
    ['TRUST_PROXY', 'loopback'],
    ['TRUST_PROXY', '10.0.0.0/99'],
    ['REDIS_URL', 'http://redis'],
    ['REDIS_URL', 'redis://redis/comments'],
    ['CONSOLE_OIDC_EMAIL_DOMAINS', ' , '],
    ['PUBLIC_URL', 'example.com'],
    ['MAX_PRODUCTION_KEYS', '-1'],
    ['RATE_LIMIT_PER_SECOND', '1e3'],
    ['BODY_LIMIT_BYTES', '5MB'],
    ['OPENAI_BASE_URL', 'ftp://example.com'],
    ['SENDGRID_BASE_URL', 'example.com'],
  ])('refuses %s=%s', (name, value) => {
    expect(problemsOf({ [name]: value })).toContain(`${name}: `);
  });
});
