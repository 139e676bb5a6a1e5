import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import {
  addressReader,
  networkOf,
  type TrustProxy,
} from '../../../src/api/credentials/client-address.ts';

/** A request as the last proxy forwards it. */
const from = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

describe('the client address of a request', () => {
  it.each<[TrustProxy, string, string | undefined, string]>([
    [false, '10.0.0.1', '198.51.100.7', '10.0.0.1'],
    [true, '10.0.0.1', '198.51.100.7, 10.0.0.2', '198.51.100.7'],
    [1, '10.0.0.1', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
    [2, '10.0.0.1', '203.0.113.9, 198.51.100.7', '203.0.113.9'],
    [2, '10.0.0.1', undefined, '10.0.0.1'],
    [['10.0.0.0/8'], '10.0.0.1', '203.0.113.9, 198.51.100.7, 10.0.0.3', '198.51.100.7'],
    [['10.0.0.0/8'], '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    [true, '10.0.0.1', 'nonsense', '10.0.0.1'],
    [false, '::ffff:127.0.0.1', undefined, '127.0.0.1'],
  ])('with TRUST_PROXY=%s, from %s for %s, is %s', (trust, remote, forwarded, address) => {
    expect(addressReader(trust)(from(remote, forwarded))).toBe(address);
  });

  it('is unknown once the connection is gone', () => {
    expect(addressReader(false)(from(undefined))).toBe('unknown');
  });

  it('stands for the whole IPv6 network of a customer', () => {
    expect(networkOf('198.51.100.7')).toBe('198.51.100.7');
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(networkOf('unknown')).toBe('unknown');
  });
});
