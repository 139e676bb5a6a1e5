import { describe, expect, it } from 'vitest';
import { FailedCredentials } from '../../../src/api/credentials/failed-credentials.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { createLogger } from '../../../src/platform/logging.ts';

const denied = new AppError('PERMISSION_DENIED', 'Wrong.');
const counter = () =>
  new FailedCredentials({ perMinute: 1, clock: { now: () => 0 }, log: createLogger('silent') });
const attempt = (key: string, address = '198.51.100.7') =>
  ({ address, level: 'apiKey', key }) as const;

describe('the count of wrong credentials', () => {
  it('is kept for the newest 10,000 pairs of address and key', () => {
    const failed = counter();
    failed.refuse(attempt('oldest'), denied);
    for (let n = 0; n < 10_000; n++) failed.refuse(attempt(`${n}`), denied);
    expect(failed.refuse(attempt('oldest'), denied)).toBe(denied);
    expect(failed.refuse(attempt('9999'), denied).status).toBe('RESOURCE_EXHAUSTED');
  });

  it('is shared by all addresses of one customer', () => {
    const failed = counter();
    failed.refuse(attempt('key', '2001:db8::1'), denied);
    expect(failed.refuse(attempt('key', '2001:db8::2'), denied).http).toBe(429);
    expect(failed.refuse(attempt('key', '2001:db8:0:1::2'), denied)).toBe(denied);
  });
});
