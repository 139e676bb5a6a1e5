import { describe, expect, it } from 'vitest';
import {
  databaseUrlProblem,
  HostRotation,
  hostUrls,
} from '../../../src/platform/database/hosts.ts';

const SEVERAL =
  'postgresql://user:p%40ss@one:5432,[::1]:5433/name?sslmode=require&target_session_attrs=read-write';

describe('a database URL with several hosts', () => {
  it('is split into one URL for each host, in the form that the driver takes', () => {
    expect(hostUrls(SEVERAL)).toEqual([
      'postgresql://user:p%40ss@one:5432/name?sslmode=require',
      'postgresql://user:p%40ss@[::1]:5433/name?sslmode=require',
    ]);
    expect(hostUrls('postgres:///name?host=/run')).toEqual(['postgres:///name?host=/run']);
  });

  it('is refused with a wrong port, protocol or target_session_attrs', () => {
    expect(databaseUrlProblem(SEVERAL)).toBeUndefined();
    expect(databaseUrlProblem('postgres://one,two/name')).toBeUndefined();
    expect(databaseUrlProblem('postgres://one:5432,two:x/name')).toMatch(/must be a URL/);
    expect(databaseUrlProblem('mysql://one/name')).toMatch(/must be a URL/);
    expect(databaseUrlProblem('postgres://a,b/n?target_session_attrs=standby')).toMatch(
      /target_session_attrs=read-write/,
    );
  });

  it('moves on to the next host once, however often the same host is reported as failed', () => {
    const [one = '', two = ''] = hostUrls(SEVERAL);
    const rotation = new HostRotation(SEVERAL);
    rotation.leave(one);
    rotation.leave(one);
    expect(rotation.url).toBe(two);
    rotation.leave(two);
    expect(rotation.url).toBe(one);
  });
});
