import { beforeEach, describe, expect, it, vi } from 'vitest';
import { FailedCredentials } from '../../../src/api/credentials/failed-credentials.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { createLogger } from '../../../src/platform/logging.ts';

const denied = new AppError('PERMISSION_DENIED', 'Wrong.');
const counter = () => new FailedCredentials({ perMinute: 1, log: createLogger('silent') });
const attempt = (key: string, address = '198.51.100.7') =>
  ({ address, level: 'apiKey', key }) as const;

describe('the count of wrong credentials', () => {
  beforeEach(() => void vi.useFakeTimers());

  it('allows further attempts when their time has come', () => {
    const failed = counter();
    expect(failed.refuse(attempt('key'), denied)).toBe(denied);
    expect(failed.refuse(attempt('key'), denied)).toMatchObject({ retryAfterSeconds: 60 });
    vi.advanceTimersByTime(59_999);
    expect(failed.refuse(attempt('key'), denied).http).toBe(429);
    vi.advanceTimersByTime(1);
    expect(failed.refuse(attempt('key'), denied)).toBe(denied);
  });

  it('is shared by all addresses of one customer', () => {
    const failed = counter();
    failed.refuse(attempt('key', '2001:db8::1'), denied);
    expect(failed.refuse(attempt('key', '2001:db8::2'), denied).http).toBe(429);
    expect(failed.refuse(attempt('key', '2001:db8:0:1::2'), denied)).toBe(denied);
  });
});
