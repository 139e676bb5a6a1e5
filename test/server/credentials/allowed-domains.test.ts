import { describe, expect, it } from 'vitest';
import { isAllowedOrigin, normalizeDomain } from '../../../src/api/credentials/allowed-domains.ts';
import { processorMsOf } from '../../support/processor-time.ts';

describe('normalizeDomain', () => {
  it.each([
    ['http://www.example.com/a/b?c=d#e', 'example.com'],
    ['WWW.Example.COM', 'example.com'],
    ['app.example.com:8443', 'app.example.com'],
    ['  example.com  ', 'example.com'],
    ['https://*.Example.com/path', '*.example.com'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['http://localhost:3000', 'localhost'],
    ['192.168.0.1:8080', '192.168.0.1'],
    ['my_app.example.com', 'my_app.example.com'],
    ['www.com', 'www.com'],
    // Without `www.`, it would admit more than was listed.
    ['*.www.example.com', '*.www.example.com'],
  ])('stores %j as %j', (text, stored) => {
    expect(normalizeDomain(text)).toBe(stored);
  });

  it.each([
    ...['', ' ', '*', '*.', '*.com', '*.*.example.com', 'a.*.example.com', '*example.com'],
    ...['com', '.example.com', 'example..com', '-a.example.com', 'exa mple.com', 'example.com\0'],
    ...['user@example.com', 'https://user:secret@example.com', 'https://', '[::1]'],
    ...['javascript:alert(1)', `${'a'.repeat(64)}.com`, `${'a.'.repeat(127)}com`],
  ])('refuses %j as a domain', (text) => {
    expect(normalizeDomain(text)).toBeUndefined();
  });

  it('refuses a thousand texts of characters that expand to many in a moment', () => {
    const tookMs = processorMsOf(() => {
      for (let count = 0; count < 1_000; count++) {
        expect(normalizeDomain(`${'\ufdfa'.repeat(600)}.com`)).toBeUndefined();
      }
    });
    expect(tookMs).toBeLessThan(1_000);
  });
});

describe('isAllowedOrigin', () => {
  it.each<[origin: string | undefined, domains: string[]]>([
    // Requests of servers have no origin.
    [undefined, ['example.com']],
    ['https://anywhere.example', []],
    ['https://example.com:8443', ['example.com']],
    ['http://EXAMPLE.com', ['example.com']],
    ['https://www.example.com', ['example.com']],
    ['https://a.b.c.example.com', ['*.example.com']],
    ['https://www.example.com', ['*.example.com']],
    ['http://localhost:5173', ['localhost']],
    ['https://münchen.example', ['xn--mnchen-3ya.example']],
    ['https://second.example', ['first.example', 'second.example']],
  ])('admits %s to a key with %j', (origin, domains) => {
    expect(isAllowedOrigin(origin, domains)).toBe(true);
  });

  it.each([
    ['https://app.example.com', ['example.com']],
    ['https://example.com', ['*.example.com']],
    ['https://evil-example.com', ['example.com']],
    ['https://evil-example.com', ['*.example.com']],
    ['https://example.com.evil.test', ['example.com']],
    ['https://example.com@evil.test', ['example.com']],
    ['http://localhost.evil.test', ['localhost']],
    ['https://a.example.com', ['*.www.example.com']],
    ['null', ['example.com']],
    ['example.com', ['example.com']],
    ['', ['example.com']],
    ['file://', ['example.com']],
    ['app://localhost', ['localhost']],
    ['http://127.0.0.1:5173', ['localhost']],
    ['chrome-extension://example.com', ['example.com']],
    ['ws://example.com', ['example.com']],
  ])('refuses %s for a key with %j', (origin, domains) => {
    expect(isAllowedOrigin(origin, domains)).toBe(false);
  });
});
