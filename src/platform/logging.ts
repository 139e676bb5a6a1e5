import { type Logger, pino } from 'pino';

export type { Logger };

/** Header and field names that hold credentials, wherever they stand in a logged object. */
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'token',
  'authToken',
  'apiKeySecret',
  'password',
  'x-svc-auth-token',
  'x-svc-workspace-auth-token',
  'x-svc-admin-token',
];

/** JSON lines on standard output. */
export function createLogger(level: string): Logger {
  const paths = SECRET_FIELDS.flatMap((field) => [`["${field}"]`, `*["${field}"]`]);
  return pino({ level, base: null, redact: { paths, censor: '[secret]' } });
}
